// A program manages the apps of its organization with `apps:manage` alone, and gains no right by it (product §4).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, ManagedApp, ManagedSecret } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { requestToken, type CallOptions, type Client, type Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';

type Created = ManagedApp & { secret?: { id: string; clientSecret: string } };

let manager: Client;
let auditor: Client;
let shop: Client;
let service: Client;
let elsewhere: Client;
beforeAll(async () => {
  const [here, there] = await Promise.all([
    newClients({
      manager: { kind: 'service', grants: ['apps:manage'] },
      auditor: { kind: 'service', grants: ['audit:read', 'webhooks:manage'] },
      shop: {},
      service: { kind: 'service', grants: ['users:read'] },
    }),
    newClients({ elsewhere: { kind: 'service', grants: ['apps:manage'] } }),
  ]);
  ({ manager, auditor, shop, service } = here);
  ({ elsewhere } = there);
});
afterAll(closeConnections);

const apps = () => `${manager.api}/admin/apps`;
const call = <Body = Problem>(method: string, path: string, options?: CallOptions, by = manager) =>
  by.call<Body>(method, `${by.api}/admin/apps${path}`, options);
const create = async (given: object = {}, options: CallOptions = {}) => {
  const json = { name: `app ${randomUUID()}`, kind: 'web', ...given };
  const reply = await call<Created>('POST', '', { json, ...options });
  return { ...reply, json };
};
const newApp = async (given: object = {}) => (await create(given)).body;
const names = async (query: Record<string, string>) =>
  (await call<Page<ManagedApp>>('GET', `?${new URLSearchParams(query).toString()}`)).body.items.map(({ name }) => name);
/** The audit records of these requests, by X-Request-Id. */
const recordsOf = async (ids: string[]): Promise<Map<string, AuditEvent>> => {
  const log = await auditor.wholeLog();
  return new Map(log.filter(({ request }) => ids.includes(request.id)).map((event) => [event.request.id, event]));
};

describe('a program with apps:manage', () => {
  it('creates, reads, changes, disables, enables and deletes an app, each in the log and the event feed', async () => {
    const ids = Array.from({ length: 6 }, () => randomUUID());
    const by = (i: number) => ({ headers: { 'x-request-id': ids[i]! } });
    const created = await create(
      { redirectUris: ['https://shop.example/in'], helpUri: 'https://shop.example/help' },
      by(0),
    );
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    const { clientId, secret } = created.body;
    expect(created.headers.location).toBe(`${apps()}/${clientId}`);
    expect(secret!.clientSecret).toMatch(/^[\w-]{43}$/);

    const read = await call<ManagedApp>('GET', `/${clientId}`, by(1));
    const { secret: _, ...withoutSecret } = created.body;
    expect(read.body).toEqual(withoutSecret);
    expect(read.body).toMatchObject({ status: 'enabled', scopes: [], createdBy: manager.app.clientId });

    const changed = await call<ManagedApp>('PATCH', `/${clientId}`, {
      body: JSON.stringify({ helpUri: null, displayName: 'Ticket office' }),
      headers: { ...by(2).headers, 'content-type': 'application/merge-patch+json', 'if-match': '"1"' },
    });
    expect(changed).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { displayName: 'Ticket office' } });
    expect(changed.body).not.toHaveProperty('helpUri');
    expect(await call('PATCH', `/${clientId}`, { json: {}, headers: { 'if-match': '"1"' } })).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });

    expect((await call<ManagedApp>('POST', `/${clientId}/disable`, by(3))).body.status).toBe('disabled');
    expect((await call<ManagedApp>('POST', `/${clientId}/enable`, by(4))).body.status).toBe('enabled');
    expect((await call('DELETE', `/${clientId}`, by(5))).status).toBe(204);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/enable'],
      ['GET', '/secrets'],
    ] as const)
      expect(await call(method, `/${clientId}${path}`)).toMatchObject({ status: 404, body: { code: 'unknown_app' } });
    expect((await create({ name: created.json.name })).body.clientId).not.toBe(clientId);

    const records = await recordsOf(ids);
    expect(ids.map((id) => records.get(id)?.action)).toEqual([
      'app.create',
      'app.read',
      'app.update',
      'app.disable',
      'app.enable',
      'app.delete',
    ]);
    for (const id of ids)
      expect(records.get(id)).toMatchObject({
        actor: { type: 'app', id: manager.app.clientId },
        outcome: { result: 'success' },
        targets: expect.arrayContaining([{ type: 'app', id: clientId }]),
      });
    const types = await eventually(async () => {
      const found = (await auditor.feed()).filter(({ data }) => (data as { app?: string }).app === clientId);
      return found.length === 5 && found.map(({ type }) => type);
    });
    expect(types).toEqual(['app.created', 'app.updated', 'app.updated', 'app.updated', 'app.deleted']);
  });

  it('rotates client secrets of an app that it made, and sees each value once', async () => {
    const { clientId, secret } = await newApp();
    const second = await call<ManagedSecret & { clientSecret: string }>('POST', `/${clientId}/secrets`);
    expect(second.status).toBe(201);
    expect(await call('POST', `/${clientId}/secrets`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect((await call('DELETE', `/${clientId}/secrets/${secret!.id}`)).status).toBe(204);
    expect(await call('DELETE', `/${clientId}/secrets/${secret!.id}`)).toMatchObject({
      status: 404,
      body: { code: 'unknown_secret' },
    });
    const list = await call<{ items: ManagedSecret[] }>('GET', `/${clientId}/secrets`);
    expect(list.body.items.map(({ id }) => id)).toEqual([second.body.id]);
    expect(list.text).not.toContain(second.body.clientSecret);
  });

  it('repeats a request with its Idempotency-Key and gets the same app with the same secret', async () => {
    const json = { name: `once ${randomUUID()}`, kind: 'web' };
    const options = { json, headers: { 'idempotency-key': randomUUID() } };
    const [first, second] = [await call<Created>('POST', '', options), await call<Created>('POST', '', options)];
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(second).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' }, body: first.body });
    expect(await call('POST', '', { ...options, json: { ...json, kind: 'spa' } })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_mismatch' },
    });
  });

  it('lists apps by status, kind, audience and the beginning of the name, page by page', async () => {
    const mark = randomUUID();
    for (const [name, kind] of [
      ['One', 'web'],
      ['Two', 'spa'],
      ['Three', 'native'],
    ] as const)
      await newApp({ name: `${mark} ${name}`, kind });
    expect(await names({ q: mark.toUpperCase() })).toEqual([`${mark} Three`, `${mark} Two`, `${mark} One`]);
    expect(await names({ q: mark, kind: 'spa' })).toEqual([`${mark} Two`]);
    expect(await names({ q: mark, status: 'disabled' })).toEqual([]);
    expect(await names({ q: mark, audience: 'people' })).toEqual([]);
    const page = (await call<Page<ManagedApp>>('GET', `?q=${mark}&limit=2`)).body;
    expect(page).toMatchObject({ hasMore: true });
    const token = encodeURIComponent(page.nextPageToken!);
    const rest = (await call<Page<ManagedApp>>('GET', `?q=${mark}&limit=2&next_page_token=${token}`)).body;
    expect(rest).toMatchObject({ items: [{ name: `${mark} One` }], hasMore: false });
    expect(await call('GET', `?q=${mark}x&limit=2&next_page_token=${token}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_page_token' },
    });
  });

  it('can do nothing else', async () => {
    for (const [method, path] of [
      ['GET', '/admin/audit/events'],
      ['GET', '/admin/events'],
      ['POST', '/credentials/offers'],
      ['GET', '/credentials/subjects'],
    ] as const)
      expect(await manager.call(method, `${manager.api}${path}`)).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope' },
      });
  });
});

describe('a way to more rights', () => {
  /** Every change of an app, with the path below it. */
  const routes: [string, string, object?][] = [
    ['PATCH', '', { redirectUris: ['https://evil.example/in'] }],
    ['PATCH', '', { postLogoutRedirectUris: ['https://evil.example/'] }],
    ['PATCH', '', { backchannelLogoutUri: 'https://evil.example/' }],
    ['PATCH', '', { name: 'Renamed' }],
    ['PATCH', '', {}],
    ['POST', '/disable'],
    ['POST', '/enable'],
    ['POST', '/secrets'],
    ['DELETE', '/secrets/sec_abcdefghijkl'],
    ['DELETE', ''],
  ];

  it.each<[string, () => Client, string]>([
    ['an app with a scope', () => shop, 'holds a scope'],
    ['another service app', () => service, 'Service apps'],
    ['itself', () => manager, 'its own app'],
  ])('by a change of %s is refused on every route, and is in the log', async (_, target, reason) => {
    const { clientId } = target().app;
    const before = (await call<ManagedApp>('GET', `/${clientId}`)).body;
    const ids: string[] = [];
    for (const [method, path, json] of routes) {
      const id = randomUUID();
      ids.push(id);
      const reply = await call(method, `/${clientId}${path}`, {
        headers: { 'x-request-id': id },
        ...(json && { json }),
      });
      expect(reply).toMatchObject({ status: 403, body: { code: 'app_protected' } });
      expect(reply.body.detail).toContain(reason);
    }
    expect((await call<ManagedApp>('GET', `/${clientId}`)).body).toEqual(before);
    const records = await recordsOf(ids);
    for (const id of ids)
      expect(records.get(id)).toMatchObject({
        outcome: { result: 'denied', status: 403, code: 'app_protected' },
        actor: { id: manager.app.clientId },
        targets: [{ type: 'app', id: clientId }],
      });
  });

  it('by a new app is refused: no service app, no scope, and no token for a new one', async () => {
    const id = randomUUID();
    const headers = { 'x-request-id': id };
    expect(await create({ kind: 'service' }, { headers })).toMatchObject({
      status: 403,
      body: { code: 'app_protected' },
    });
    expect((await recordsOf([id])).get(id)).toMatchObject({
      action: 'app.create',
      outcome: { result: 'denied', code: 'app_protected' },
    });
    for (const more of [{ scopes: ['offers:write'] }, { grants: [] }, { builtIn: false }, { createdBy: 'me' }])
      expect(await create(more)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    const { clientId, secret } = await newApp();
    for (const json of [{ scopes: ['offers:write'] }, { kind: 'service' }, { audience: 'people' }, { disabled: true }])
      expect(await call('PATCH', `/${clientId}`, { json })).toMatchObject({ status: 422 });
    const { status, body } = await requestToken(
      stack,
      { clientId, clientSecret: secret!.clientSecret },
      'offers:write',
    );
    expect([status, body.error]).toEqual([400, 'invalid_scope']);
  });

  it('by the secret of an app that gets a scope later is refused: the secret has to be replaced first', async () => {
    const { clientId, secret } = await newApp();
    const grant = () => stack.operator('grant', 'add', clientId, 'offers:write');
    await expect(grant()).rejects.toThrow(secret!.id);
    await stack.operator('secret', 'create', clientId);
    await stack.operator('secret', 'revoke', clientId, secret!.id);
    await grant();
    const known = { clientId, clientSecret: secret!.clientSecret };
    expect((await requestToken(stack, known, 'offers:write')).status).toBe(401);
    expect(await call('POST', `/${clientId}/secrets`)).toMatchObject({ status: 403, body: { code: 'app_protected' } });
  });

  it('at another organization does not exist: its apps are unknown', async () => {
    const { clientId } = await newApp();
    for (const [method, path, json] of [['GET', ''], ['GET', '/secrets'], ...routes] as typeof routes)
      expect(await call(method, `/${clientId}${path}`, json && { json }, elsewhere)).toMatchObject({
        status: 404,
        body: { code: 'unknown_app' },
      });
    expect(await elsewhere.call('PATCH', `${apps()}/${clientId}`, { json: { name: 'x' } })).toMatchObject({
      status: 403,
      body: { code: 'wrong_organization' },
    });
  });
});

describe('bad input', () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => `https://a.example/${i}`);
  it.each<[string, object]>([
    ['no name', { name: undefined }],
    ['an empty name', { name: '   ' }],
    ['a name of 101 characters', { name: 'a'.repeat(101) }],
    ['a name with NUL', { name: 'a\u0000b' }],
    ['a name that turns the direction of writing', { name: 'shop \u202Etxt.exe' }],
    ['a name with an invisible space', { name: 'sh\u200Bop' }],
    ['a display name with a line break', { displayName: 'a\nb' }],
    ['a name that is a number', { name: 1 }],
    ['an unknown kind', { kind: 'daemon' }],
    ['21 redirect URIs', { redirectUris: many(21) }],
    ['a redirect URI with user info', { redirectUris: ['https://shop.example@evil.example/'] }],
    ['a redirect URI with a backslash', { redirectUris: ['https://shop.example\\@evil.example/'] }],
    ['a redirect URI with a Cyrillic letter', { redirectUris: ['https://sh\u043Ep.example/'] }],
    ['a redirect URI with an ideographic full stop', { redirectUris: ['https://shop\u3002example/'] }],
    ['a redirect URI with a wildcard', { redirectUris: ['https://*.shop.example/'] }],
    ['a redirect URI with a fragment', { redirectUris: ['https://shop.example/#in'] }],
    ['a redirect URI with NUL', { redirectUris: ['https://shop.example/\u0000'] }],
    ['a redirect URI without TLS', { redirectUris: ['http://shop.example/in'] }],
    ['a redirect URI that is a script', { redirectUris: ['javascript:alert(1)'] }],
    ['a redirect URI of a native app', { redirectUris: ['com.example.shop:/in'] }],
    ['an origin with a path', { origins: ['https://shop.example/in'] }],
    ['a back-channel logout URI on the internal network', { backchannelLogoutUri: 'https://169.254.169.254/' }],
    ['a logo without TLS', { logoUri: 'http://shop.example/logo.png' }],
    ['a logo in the address', { logoUri: 'data:image/png;base64,AAAA' }],
    ['a help address with user info', { helpUri: 'https://me:secret@shop.example/' }],
    ['an unknown algorithm', { idTokenAlg: 'none' }],
    ['PKCE optional for a public app', { kind: 'spa', pkce: 'optional' }],
    ['PKCE that only the operator sets', { pkce: 'optional_without_nonce' }],
    ['an unknown member', { colour: 'red' }],
  ])('of %s is 422, and nothing is stored', async (_, given) => {
    const mark = randomUUID();
    const json = { name: mark, kind: 'web', ...given };
    expect(await call('POST', '', { json })).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    const { clientId } = await newApp({ name: `${mark} other` });
    const { kind: _kind, ...changes } = json as Record<string, unknown>;
    if (!('kind' in given) && given.constructor === Object && !('name' in given && given.name === undefined)) {
      expect(await call('PATCH', `/${clientId}`, { json: changes })).toMatchObject({ status: 422 });
      expect((await call<ManagedApp>('GET', `/${clientId}`)).body.version).toBe(1);
    }
    expect(await names({ q: mark })).toEqual([`${mark} other`]);
  });

  it('of 10,000 redirect URIs is refused for its size', async () => {
    expect((await create({ redirectUris: many(10_000) })).status).toBe(413);
  });

  it('in path, query and headers is 400', async () => {
    for (const path of ['/x', '/%00', '/app_', `/app_${'a'.repeat(23)}`, `/${randomUUID()}`])
      expect(await call('GET', path)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    for (const query of ['?q=', `?q=${'a'.repeat(101)}`, '?q=%00', '?status=on', '?kind=x', '?limit=0', '?sort=name'])
      expect(await call('GET', query)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const { clientId } = await newApp();
    const patch = (headers: Record<string, string>, body = '{}') =>
      call('PATCH', `/${clientId}`, { body, headers: { 'content-type': 'application/json', ...headers } });
    expect((await patch({ 'if-match': '1' })).status).toBe(400);
    expect((await patch({ 'if-match': 'W/"1"' })).status).toBe(412);
    expect((await patch({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await patch({}, '{"name":')).status).toBe(400);
    expect((await patch({}, '[]')).status).toBe(422);
    expect((await patch({ 'if-match': '"7", "1"' })).status).toBe(200);
  });
});

it('a deleted app signs nobody in, and what it had ends', async () => {
  const redirectUri = 'https://gone.example/in';
  const { clientId, secret } = await newApp({ redirectUris: [redirectUri] });
  const { name, kind, org } = { ...manager.app, name: 'gone', kind: 'web' as const };
  const site = await RelyingParty.of({
    ...{ name, kind, org, clientId, scopes: [] },
    clientSecret: secret!.clientSecret,
    redirectUris: [redirectUri],
  });
  const customer = await newCustomer(shop);
  const { accessToken, refreshToken, agent } = await site.signIn(customer.authenticator);
  expect((await site.userinfo(accessToken, org)).status).toBe(200);
  expect((await call('DELETE', `/${clientId}`)).status).toBe(204);
  await eventually(async () => (await site.userinfo(accessToken, org)).status === 401);
  await eventually(async () => (await site.refresh(refreshToken)).status === 401);
  expect(await site.silently(agent, { prompt: 'none' })).toEqual({});
  // The customer belongs to the organization and signs in to its other apps.
  expect((await shop.get(customer.subject)).status).toBe(200);
});
