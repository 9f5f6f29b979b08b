import { describe, expect, test } from '@jest/globals';
import { createApp, getApp, getClient, updateApp } from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { database, eventOf, newApp, operator, request, withDirectory } from '../directory.fixture.js';

withDirectory();

describe('sign-in settings of an app', () => {
  test('a change of the sign-in settings is stored, emitted and recorded with the changed fields only', async () => {
    const created = await request(createApp, {
      org: 'acme',
      name: 'signs in',
      kind: 'web',
      redirectUris: ['https://a.example/cb'],
    });
    expect(created.app).toMatchObject({ postLogoutRedirectUris: [], refreshTokens: true, pkce: 'required' });
    const { clientId } = created.app;
    const context = testContext({ actor: operator });
    const updated = await request(
      updateApp,
      {
        clientId,
        postLogoutRedirectUris: ['https://a.example/bye'],
        refreshTokens: false,
        pkce: 'optional',
        redirectUris: ['https://a.example/cb'],
      },
      'operator',
      context,
    );
    expect(updated).toMatchObject({
      name: 'signs in',
      redirectUris: ['https://a.example/cb'],
      postLogoutRedirectUris: ['https://a.example/bye'],
      refreshTokens: false,
      pkce: 'optional',
      version: 2,
    });
    expect(await eventOf(context.auditId)).toMatchObject({ type: 'app.updated', audit: { action: 'app.update' } });
    expect((await eventOf(context.auditId)).audit!.changes).toEqual({
      postLogoutRedirectUris: { from: [], to: ['https://a.example/bye'] },
      refreshTokens: { from: true, to: false },
      pkce: { from: 'required', to: 'optional' },
    });
    expect((await request(getClient, { clientId }, 'auth')).app).toEqual(updated);
    await request(createApp, { org: 'acme', name: 'in the way', kind: 'web' });
    await expect(request(updateApp, { clientId, name: 'in the way' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(request(updateApp, { clientId, redirectUris: ['com.example.app:/in'] })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 422,
    });
    const native = await request(createApp, {
      org: 'acme',
      name: 'phone',
      kind: 'native',
      redirectUris: ['com.example.app:/in'],
    });
    expect(native.app.redirectUris).toEqual(['com.example.app:/in']);
    for (const uri of [
      'http://a.example/',
      'https://u@a.example/',
      'https://a.example/#x',
      'javascript:alert(1)',
      'app:/in',
    ])
      await expect(request(updateApp, { clientId, redirectUris: [uri] })).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });

  describe.each(['optional', 'optional_without_nonce'] as const)('PKCE %s', (pkce) => {
    test.each(['spa', 'native', 'service'] as const)('is refused of a %s app, by handler and table', async (kind) => {
      await expect(request(createApp, { org: 'acme', name: `${pkce} ${kind}`, kind, pkce })).rejects.toMatchObject({
        code: 'invalid_request',
      });
      const { app } = await newApp(kind);
      await expect(request(updateApp, { clientId: app.clientId, pkce })).rejects.toMatchObject({
        code: 'invalid_request',
      });
      await expect(
        database.query('UPDATE directory.app SET pkce = $2 WHERE client_id = $1', [app.clientId, pkce]),
      ).rejects.toMatchObject({ constraint: 'app_pkce' });
    });

    test('is stored for a web app, and shown', async () => {
      const { app } = await newApp('web');
      await request(updateApp, { clientId: app.clientId, pkce });
      expect(await request(getApp, { clientId: app.clientId })).toMatchObject({ pkce });
    });
  });
});
