import { describe, expect, test } from '@jest/globals';
import {
  createApp,
  createOrganization,
  disableApp,
  getApp,
  organizationOrigins,
  updateApp,
  type App,
} from '@holdfast/contracts';
import { newApp, newName, request, withDirectory } from '../directory.fixture.js';

withDirectory();

describe('what is given of an app', () => {
  test('an address that is none is refused with a pointer to it, not with a fault of ours', async () => {
    for (const [uri, detail] of [
      ['nope', /must be a whole URI/],
      ['http://[', /must be a whole URI/],
      ['https://*.a.example/cb', /must not have a wildcard/],
    ] as const) {
      const refusal = {
        code: 'invalid_request',
        status: 422,
        errors: [{ pointer: '#/redirectUris/1', detail: expect.stringMatching(detail) }],
      };
      await expect(
        request(createApp, {
          org: 'acme',
          name: 'no address',
          kind: 'web',
          redirectUris: ['https://a.example/cb', uri],
        }),
      ).rejects.toMatchObject(refusal);
      await expect(
        request(updateApp, { clientId: 'app_x', redirectUris: ['https://a.example/cb', uri] }),
      ).rejects.toMatchObject(refusal);
    }
  });

  test('what can never work is not stored', async () => {
    await expect(
      request(createApp, { org: 'acme', name: 'never', kind: 'service', redirectUris: ['https://a.example/cb'] }),
    ).rejects.toMatchObject({ status: 422, errors: [{ pointer: '#/redirectUris' }] });
    await expect(
      request(createApp, { org: 'acme', name: 'never', kind: 'web', audience: 'people' }),
    ).rejects.toMatchObject({ status: 422, errors: [{ pointer: '#/audience' }] });
    const { app } = await newApp('service');
    await expect(
      request(updateApp, { clientId: app.clientId, redirectUris: ['https://a.example/cb'] }),
    ).rejects.toMatchObject({ status: 422, errors: [{ pointer: '#/redirectUris' }] });
  });

  test('the origins of an organization are those of its spa apps that are not disabled', async () => {
    await request(createOrganization, { shortId: 'pages', name: 'Pages' });
    const make = async (kind: App['kind'], uri: string) =>
      (await request(createApp, { org: 'pages', name: uri, kind, redirectUris: [uri] })).app.clientId;
    await make('web', 'https://web.example/cb');
    await make('native', 'com.example.app:/in');
    const spa = await make('spa', 'https://spa.example/cb');
    const of = async (shortId: string) => (await request(organizationOrigins, { shortId }, 'auth')).origins;
    expect([await of('pages'), await of('nowhere')]).toEqual([['https://spa.example'], []]);
    await request(disableApp, { clientId: spa, disabled: true });
    expect(await of('pages')).toEqual([]);
  });
});

describe('the address of back-channel logout', () => {
  const clientIdOf = async (backchannelLogoutUri?: string) =>
    (
      await request(createApp, {
        org: 'acme',
        name: newName('logout'),
        kind: 'web',
        ...(backchannelLogoutUri !== undefined && { backchannelLogoutUri }),
      })
    ).app;

  test.each(['https://shop.example/logout', 'http://localhost:4000/acme/backchannel-logout'])(
    'may be %s',
    async (uri) => {
      expect((await clientIdOf(uri)).backchannelLogoutUri).toBe(uri);
      const { clientId } = await clientIdOf();
      expect((await request(updateApp, { clientId, backchannelLogoutUri: uri })).backchannelLogoutUri).toBe(uri);
      expect(await request(updateApp, { clientId, backchannelLogoutUri: null })).not.toHaveProperty(
        'backchannelLogoutUri',
      );
    },
  );

  test.each([
    'http://shop.example/logout',
    'https://localhost/',
    'http://localhost:4001/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://10.0.0.1/',
    'https://[fd00::1]/',
    'https://shop.example:8443/',
    'https://metadata.google.internal/',
  ])('is refused when it is %s, and nothing changes', async (uri) => {
    const refusal = {
      code: 'invalid_request',
      status: 422,
      errors: [
        {
          pointer: '#/backchannelLogoutUri',
          detail: expect.stringMatching(/^address not allowed: it.*OUTBOUND_ALLOW/),
        },
      ],
    };
    await expect(clientIdOf(uri)).rejects.toMatchObject(refusal);
    const { clientId, version } = await clientIdOf();
    await expect(request(updateApp, { clientId, backchannelLogoutUri: uri })).rejects.toMatchObject(refusal);
    expect(await request(getApp, { clientId })).toMatchObject({ version });
  });
});
