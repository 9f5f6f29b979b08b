import { describe, expect, test } from '@jest/globals';
import { createOrganization, listApps, organizationProfile, suspendOrganization } from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { eventOf, newApp, operator, request, withDirectory } from '../directory.fixture.js';

withDirectory();

describe('organizations', () => {
  test('twenty concurrent creations with one short ID: one succeeds, the others answer conflict', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => request(createOrganization, { shortId: 'initech', name: 'Initech' })),
    );
    expect(all.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(all.filter((r) => r.status === 'rejected').map((r) => (r.reason as { code: string }).code)).toEqual(
      Array(19).fill('conflict'),
    );
  });

  test('suspending emits an event whose audit record goes into the log of the suspended organization', async () => {
    await request(createOrganization, { shortId: 'hooli', name: 'Hooli' });
    const context = testContext({ org: 'somewhere-else', actor: operator });
    await request(suspendOrganization, { shortId: 'hooli', suspended: true }, 'operator', context);
    expect(await eventOf(context.auditId)).toMatchObject({
      type: 'organization.updated',
      org: 'hooli',
      version: 2,
      audit: {
        action: 'organization.suspend',
        actor: operator,
        targets: [{ type: 'organization', id: 'hooli' }],
        changes: { suspended: { from: false, to: true } },
      },
    });
  });

  test('the profile has the name, and answers unknown_organization while the organization is suspended', async () => {
    await request(createOrganization, { shortId: 'umbrella', name: 'Umbrella & Co' });
    expect(await request(organizationProfile, { shortId: 'umbrella' }, 'auth')).toEqual({
      shortId: 'umbrella',
      name: 'Umbrella & Co',
    });
    await request(suspendOrganization, { shortId: 'umbrella', suspended: true });
    for (const shortId of ['umbrella', 'nobody'])
      await expect(request(organizationProfile, { shortId }, 'gateway')).rejects.toMatchObject({
        code: 'unknown_organization',
      });
  });

  test('commands and queries about an unknown organization answer unknown_organization', async () => {
    await expect(request(suspendOrganization, { shortId: 'nobody', suspended: true })).rejects.toMatchObject({
      code: 'unknown_organization',
    });
    await expect(request(listApps, { org: 'nobody' })).rejects.toMatchObject({ code: 'unknown_organization' });
    await expect(newApp('web', [], 'nobody')).rejects.toMatchObject({ code: 'unknown_organization' });
  });
});
