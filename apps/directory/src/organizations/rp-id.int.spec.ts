import { describe, expect, test } from '@jest/globals';
import {
  accessChanges,
  createOrganization,
  listOrganizations,
  organizationProfile,
  updateOrganization,
} from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { eventOf, operator, request, withDirectory } from '../directory.fixture.js';

withDirectory('https://login.id.example');

const profile = (shortId: string) => request(organizationProfile, { shortId }, 'auth');

describe('the RP ID of an organization', () => {
  test('is the deployment’s unless the organization is created with one of its own', async () => {
    expect(await profile('acme')).toEqual({ shortId: 'acme', name: 'Acme' });
    await request(createOrganization, { shortId: 'initech', name: 'Initech', rpId: 'id.example' });
    expect(await profile('initech')).toEqual({
      shortId: 'initech',
      name: 'Initech',
      relyingParty: { rpId: 'id.example' },
    });
  });

  test('a change emits event, record and access entry, and keeps the earlier RP ID until the move ends', async () => {
    await request(createOrganization, { shortId: 'hooli', name: 'Hooli' });
    const { seq } = await request(accessChanges, { since: 0 }, 'auth');
    const [change, end] = [
      testContext({ org: 'hooli', actor: operator }),
      testContext({ org: 'hooli', actor: operator }),
    ];
    const relyingParty = { rpId: 'id.example', earlier: {} };
    expect(
      await request(updateOrganization, { shortId: 'hooli', rpId: 'id.example' }, 'operator', change),
    ).toMatchObject({
      relyingParty,
    });
    expect(await profile('hooli')).toMatchObject({ relyingParty });
    expect((await request(listOrganizations, {})).items.find(({ shortId }) => shortId === 'hooli')).toMatchObject({
      relyingParty,
    });
    expect((await request(accessChanges, { since: seq }, 'auth')).entries).toEqual([
      expect.objectContaining({ kind: 'organization', id: 'hooli', disabled: false }),
    ]);
    expect(await eventOf(change.auditId)).toMatchObject({
      type: 'organization.updated',
      org: 'hooli',
      version: 2,
      audit: {
        action: 'organization.update',
        actor: operator,
        changes: { relyingParty: { from: {}, to: relyingParty } },
      },
    });

    await expect(request(updateOrganization, { shortId: 'hooli', rpId: 'login.id.example' })).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await request(updateOrganization, { shortId: 'hooli', endMove: true }, 'operator', end);
    expect(await profile('hooli')).toMatchObject({ relyingParty: { rpId: 'id.example' } });
    expect((await eventOf(end.auditId)).version).toBe(3);
    await expect(request(updateOrganization, { shortId: 'hooli', endMove: true })).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  test.each([
    ['a public suffix', 'example'],
    ['a sibling whose domain does not list the origin of the pages', 'other.id.example.invalid'],
    ['a name below the host whose domain does not list the origin of the pages', 'x.login.id.example.invalid'],
    ['an IP address', '127.0.0.1'],
  ])('is refused when it is %s', async (_, rpId) => {
    const invalidRequest = { code: 'invalid_request', errors: [expect.objectContaining({ pointer: '#/rpId' })] };
    await expect(request(updateOrganization, { shortId: 'acme', rpId })).rejects.toMatchObject(invalidRequest);
    await expect(request(createOrganization, { shortId: 'umbrella', name: 'U', rpId })).rejects.toMatchObject(
      invalidRequest,
    );
    expect(await profile('acme')).toEqual({ shortId: 'acme', name: 'Acme' });
  });

  test('a change of an unknown organization, of nothing, and of two things at once is rejected', async () => {
    await expect(request(updateOrganization, { shortId: 'nobody', rpId: 'id.example' })).rejects.toMatchObject({
      code: 'unknown_organization',
    });
    await expect(request(updateOrganization, { shortId: 'acme' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(
      request(updateOrganization, { shortId: 'acme', rpId: 'id.example', endMove: true }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
