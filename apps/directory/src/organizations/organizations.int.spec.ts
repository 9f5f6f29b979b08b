import { describe, expect, test } from '@jest/globals';
import {
  createOrganization,
  listApps,
  organizationProfile,
  suspendOrganization,
  updateOrganization,
} from '@holdfast/contracts';
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

  test('addresses for customers are in the profile, set and removed one by one, each with its record', async () => {
    await request(createOrganization, { shortId: 'wayne', name: 'Wayne' });
    const [set, removed] = [0, 1].map(() => testContext({ org: 'wayne', actor: operator }));
    const [startUrl, helpUrl] = ['https://wayne.example/', 'https://wayne.example/help'];
    expect(await request(updateOrganization, { shortId: 'wayne', startUrl, helpUrl }, 'operator', set)).toMatchObject({
      startUrl,
      helpUrl,
    });
    expect(await request(organizationProfile, { shortId: 'wayne' }, 'gateway')).toMatchObject({ startUrl, helpUrl });
    await request(updateOrganization, { shortId: 'wayne', helpUrl: null }, 'operator', removed);
    expect(await request(organizationProfile, { shortId: 'wayne' }, 'gateway')).toEqual({
      shortId: 'wayne',
      name: 'Wayne',
      startUrl,
    });
    expect([(await eventOf(set!.auditId)).audit?.changes, (await eventOf(removed!.auditId)).audit?.changes]).toEqual([
      { startUrl: { from: null, to: startUrl }, helpUrl: { from: null, to: helpUrl } },
      { helpUrl: { from: helpUrl, to: null } },
    ]);
  });

  test.each(['http://wayne.example', 'javascript:alert(1)', 'https://u:p@wayne.example', '/help', ''])(
    '%j is refused as an address for customers',
    async (helpUrl) => {
      await expect(request(updateOrganization, { shortId: 'acme', helpUrl })).rejects.toMatchObject({
        code: 'invalid_request',
        errors: [expect.objectContaining({ pointer: '#/helpUrl' })],
      });
    },
  );

  test('commands and queries about an unknown organization answer unknown_organization', async () => {
    await expect(request(suspendOrganization, { shortId: 'nobody', suspended: true })).rejects.toMatchObject({
      code: 'unknown_organization',
    });
    await expect(request(listApps, { org: 'nobody' })).rejects.toMatchObject({ code: 'unknown_organization' });
    await expect(newApp('web', [], 'nobody')).rejects.toMatchObject({ code: 'unknown_organization' });
  });
});
