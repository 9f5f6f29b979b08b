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

describe('URIs and audience of an app', () => {
  test('an invalid redirect URI is answered with 422 and a pointer to it', async () => {
    for (const [uri, detail] of [
      ['nope', /must be a whole URI/],
      ['http://[', /must be a whole URI/],
      ['https://*.a.example/cb', /must not have a wildcard/],
    ] as const) {
      const invalidRequest = {
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
      ).rejects.toMatchObject(invalidRequest);
      await expect(
        request(updateApp, { clientId: 'app_x', redirectUris: ['https://a.example/cb', uri] }),
      ).rejects.toMatchObject(invalidRequest);
    }
  });

  test('settings that can never work are answered with 422', async () => {
    await expect(
      request(createApp, { org: 'acme', name: 'never', kind: 'service', redirectUris: ['https://a.example/cb'] }),
    ).rejects.toMatchObject({ status: 422, errors: [{ pointer: '#/redirectUris' }] });
    await expect(
      request(createApp, { org: 'acme', name: 'never', kind: 'web', audience: 'people', credentialType: 'customer' }),
    ).rejects.toMatchObject({ status: 422, errors: [{ pointer: '#/credentialType' }] });
    const { app } = await newApp('service');
    await expect(
      request(updateApp, { clientId: app.clientId, redirectUris: ['https://a.example/cb'] }),
    ).rejects.toMatchObject({ status: 422, errors: [{ pointer: '#/redirectUris' }] });
  });

  test('the origins of an organization are those of its spa apps that are not disabled', async () => {
    await request(createOrganization, { shortId: 'pages', name: 'Pages' });
    const create = async (kind: App['kind'], uri: string) =>
      (await request(createApp, { org: 'pages', name: uri, kind, redirectUris: [uri] })).app.clientId;
    await create('web', 'https://web.example/cb');
    await create('native', 'com.example.app:/in');
    const spa = await create('spa', 'https://spa.example/cb');
    const originsOf = async (shortId: string) => (await request(organizationOrigins, { shortId }, 'auth')).origins;
    expect([await originsOf('pages'), await originsOf('nowhere')]).toEqual([['https://spa.example'], []]);
    await request(disableApp, { clientId: spa, disabled: true });
    expect(await originsOf('pages')).toEqual([]);
  });
});

describe('the back-channel logout URI', () => {
  const createWith = async (backchannelLogoutUri?: string) =>
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
      expect((await createWith(uri)).backchannelLogoutUri).toBe(uri);
      const { clientId } = await createWith();
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
    const invalidRequest = {
      code: 'invalid_request',
      status: 422,
      errors: [
        {
          pointer: '#/backchannelLogoutUri',
          detail: expect.stringMatching(/^address not allowed: it.*OUTBOUND_ALLOW/),
        },
      ],
    };
    await expect(createWith(uri)).rejects.toMatchObject(invalidRequest);
    const { clientId, version } = await createWith();
    await expect(request(updateApp, { clientId, backchannelLogoutUri: uri })).rejects.toMatchObject(invalidRequest);
    expect(await request(getApp, { clientId })).toMatchObject({ version });
  });
});
