import { expect, test } from '@jest/globals';
import { createOrganization, getApp, listApps, listSecrets } from '@holdfast/contracts';
import { auditStub } from '../audit-stub.fixture.js';
import { newApp, request, withDirectory } from '../directory.fixture.js';

withDirectory();

test('an operator read is recorded in the organization’s log, and rejected while audit is unavailable', async () => {
  await request(createOrganization, { shortId: 'initech', name: 'Initech' });
  const {
    app: { clientId },
  } = await newApp('web', [], 'initech');
  const reads = async () =>
    (
      await Promise.allSettled([
        request(listApps, { org: 'initech' }),
        request(getApp, { clientId }),
        request(listSecrets, { clientId }),
      ])
    ).map((r) => r.status);
  expect([...new Set(await reads()), ...auditStub.reads.filter((line) => line.startsWith('initech')).sort()]).toEqual([
    'fulfilled',
    'initech app.list',
    `initech app.read ${clientId}`,
    `initech app.secret.list ${clientId}`,
  ]);
  auditStub.unavailable = true;
  expect([...new Set(await reads())]).toEqual(['rejected']);
  auditStub.unavailable = false;
});
