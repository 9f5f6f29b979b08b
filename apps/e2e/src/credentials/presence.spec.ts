// Product §5, presence: a proof is always verified, for organization, app and purpose, and is valid for one offer.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { callApi, type Client } from '../clients/client.ts';
import { closeConnections, exchange } from '../clients/http.ts';
import { encodePayload, presenceProof, solvedChallenge, type SolvedChallenge } from '../clients/presence.ts';
import { customerScopes, demoClient, newClients, stack } from '../clients/under-test.ts';
import { untilPast } from '../stack/until-past.ts';

let shop: Client;
let kiosk: Client;
let elsewhere: Client;
let auditor: Client;
let late: SolvedChallenge;
beforeAll(async () => {
  const [here, there] = await Promise.all([
    newClients({
      shop: { redirectUris: ['https://shop.example/callback'] },
      kiosk: {},
      auditor: { kind: 'service', grants: ['audit:read'] },
    }),
    newClients({ shop: {} }),
  ]);
  ({ shop, kiosk, auditor } = here);
  elsewhere = there.shop;
  await stack.operator('presence', 'set', shop.app.org, '--policy', 'required');
  late = await solvedChallenge(shop);
});
afterAll(() => closeConnections());

const altcha = (solved: SolvedChallenge) => ({ presence: { type: 'altcha', payload: encodePayload(solved) } });
const withProof = async (client = shop) => ({ presence: await presenceProof(client) });
/** Expects an error response and an unchanged list. */
const expectRejected = async (client: Client, body: object, status: number, code: string, options = {}) => {
  const before = (await client.all()).length;
  const reply = await client.offer<{ code: string; errors?: { pointer?: string }[] }>(body, options);
  expect({ status: reply.status, code: reply.body.code }).toEqual({ status, code });
  const pointer = code.startsWith('presence_') && status === 422 ? '#/presence' : expect.anything();
  expect(reply.body.errors?.[0]?.pointer ?? 'none').toEqual(pointer);
  expect(reply.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  expect(await client.all()).toHaveLength(before);
};

it('is required by the organization that demo.json names', async () => {
  expect(stack.demo.organizations.map(({ shortId, presence }) => [shortId, presence])).toEqual([
    ['acme', 'optional'],
    ['globex', 'required'],
  ]);
  const globex = demoClient('globex', 'shop', customerScopes);
  expect((await globex.offer({})).body).toMatchObject({ code: 'presence_required' });
  expect((await globex.offer(await withProof(globex))).status).toBe(201);
});

it('is 422 when a required proof is missing; a further offer needs none, but an invalid one is 422', async () => {
  await expectRejected(shop, {}, 422, 'presence_required');
  const { body } = await shop.offer(await withProof());
  expect((await shop.offer({ subject: body.subject })).status).toBe(201);
  await expectRejected(
    shop,
    { subject: body.subject, presence: { type: 'altcha', payload: 'rubbish' } },
    422,
    'presence_invalid',
  );
  expect((await shop.offer({ subject: body.subject, ...(await withProof()) })).status).toBe(201);
});

it('is not needed where it is optional, but an invalid one is 422', async () => {
  expect((await elsewhere.offer({})).status).toBe(201);
  await expectRejected(elsewhere, { presence: { type: 'altcha', payload: 'rubbish' } }, 422, 'presence_invalid');
  expect((await elsewhere.offer(await withProof(elsewhere))).status).toBe(201);
});

it('is consumed by one offer', async () => {
  const body = await withProof();
  expect((await shop.offer(body)).status).toBe(201);
  await expectRejected(shop, body, 422, 'presence_replayed');
  await expectRejected(shop, body, 422, 'presence_replayed', { headers: { 'idempotency-key': randomUUID() } });
});

it('lets one of twenty concurrent requests with the same proof create an offer', async () => {
  const body = await withProof();
  const before = (await shop.all()).length;
  const replies = await Promise.all(Array.from({ length: 20 }, () => shop.offer<{ code: string }>(body)));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(new Set(replies.filter(({ status }) => status !== 201).map(({ body: { code } }) => code))).toEqual(
    new Set(['presence_replayed']),
  );
  expect(await shop.all()).toHaveLength(before + 1);
});

it('is replayed with the first response when the request has the same Idempotency-Key', async () => {
  const body = await withProof();
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const replies = await Promise.all(Array.from({ length: 5 }, () => shop.offer(body, options)));
  const created = replies.filter(({ status }) => status === 201).map((reply) => reply.body.offerId);
  expect([
    new Set(created).size,
    new Set(replies.filter(({ status }) => status !== 201).map(({ status }) => status)),
  ]).toEqual([1, created.length === 5 ? new Set() : new Set([409])]);
  const again = await shop.offer(body, options);
  expect([again.status, again.body.offerId, again.headers['idempotency-replayed']]).toEqual([201, created[0], 'true']);
  // The key is checked before the proof.
  await expectRejected(shop, {}, 422, 'idempotency_mismatch', options);
});

it('is not consumed by a rejected offer', async () => {
  const proof = await withProof();
  await expectRejected(shop, { ...proof, credentialType: 'unknown' }, 422, 'unknown_credential_type');
  await expectRejected(shop, { ...proof, subject: randomUUID() }, 404, 'unknown_subject');
  await expectRejected(shop, { ...proof, returnUrl: 'https://evil.example/' }, 422, 'invalid_request');
  expect((await shop.offer(proof)).status).toBe(201);
});

it('is 422 for another app or organization', async () => {
  const ofShop = await solvedChallenge(shop);
  await expectRejected(kiosk, altcha(ofShop), 422, 'presence_invalid');
  await expectRejected(elsewhere, altcha(ofShop), 422, 'presence_invalid');
  const disguised = structuredClone(ofShop);
  Object.assign(disguised.challenge.parameters.data, { org: elsewhere.app.org, client_id: elsewhere.app.clientId });
  await expectRejected(elsewhere, altcha(disguised), 422, 'presence_invalid');
  expect((await shop.offer(altcha(ofShop))).status).toBe(201);
});

describe('a proof with', () => {
  let solved: SolvedChallenge;
  beforeAll(async () => void (solved = await solvedChallenge(shop)));
  const flip = (hex: string) => hex.replace(/.$/, (c) => (c === '0' ? '1' : '0'));
  const changes: [string, (s: SolvedChallenge) => void][] = [
    ...['nonce', 'salt', 'keyPrefix', 'keySignature'].map((name): [string, (s: SolvedChallenge) => void] => [
      `another ${name}`,
      ({ challenge: { parameters } }) => void (parameters[name] = flip(String(parameters[name]))),
    ]),
    ['a later expiration', ({ challenge: { parameters } }) => void (parameters.expiresAt += 3600)],
    ['an earlier expiration', ({ challenge: { parameters } }) => void (parameters.expiresAt = 1)],
    ['another cost', ({ challenge: { parameters } }) => void (parameters.cost = 999)],
    ['another purpose', ({ challenge: { parameters } }) => void (parameters.data.purpose = 'login')],
    ['another id', ({ challenge: { parameters } }) => void (parameters.data.id = randomUUID())],
    ['another signature', ({ challenge }) => void (challenge.signature = flip(challenge.signature))],
    ['another derived key', ({ solution }) => void (solution.derivedKey = flip(solution.derivedKey))],
    ['another counter', ({ solution }) => void (solution.counter += 1)],
  ];
  it.each(changes)('%s is 422', async (_, change) => {
    const changed = structuredClone(solved);
    change(changed);
    await expectRejected(shop, altcha(changed), 422, 'presence_invalid');
  });
  it('no change is accepted', async () => expect((await shop.offer(altcha(solved))).status).toBe(201));
});

it.each([
  [{ type: 'hcaptcha', token: 'x' }],
  [{ type: 'altcha' }],
  [{ type: 'altcha', payload: '' }],
  [{ type: 'altcha', payload: 'x', token: 'y' }],
  [{ type: 'turnstile', payload: 'x' }],
  ['altcha'],
  [null],
  [[]],
  [{ type: 'altcha', payload: 'A'.repeat(8193) }],
])('%j is 422 with a pointer', async (presence) => {
  const { status, body } = await shop.offer<{ code: string; errors: { pointer: string }[] }>({ presence });
  expect([status, body.code, body.errors.every(({ pointer }) => pointer.startsWith('#/presence'))]).toEqual([
    422,
    'invalid_request',
    true,
  ]);
});

it('by Turnstile is 422 without a secret, and 503 while Turnstile is unavailable', async () => {
  const presence = { type: 'turnstile', token: randomUUID() };
  await expectRejected(shop, { presence }, 422, 'presence_invalid');
  // This stack's address of Turnstile is one that it may not connect to.
  await stack.operatorWith('a-secret', 'presence', 'set', shop.app.org, '--turnstile-secret-stdin');
  await eventually(
    async () => (await shop.offer<{ code: string }>({ presence })).body.code === 'presence_unavailable',
    'the secret to take effect',
  );
  await expectRejected(shop, { presence }, 503, 'presence_unavailable');
  expect(await stack.operator('presence', 'set', shop.app.org, '--no-turnstile')).toEqual({
    policy: 'required',
    turnstile: false,
  });
});

it('is required or optional soon after a change of the policy, which is recorded', async () => {
  await stack.operator('presence', 'set', elsewhere.app.org, '--policy', 'required');
  await eventually(async () => (await elsewhere.offer({})).status === 422, 'the policy to take effect');
  await stack.operator('presence', 'set', elsewhere.app.org, '--policy', 'optional');
  await eventually(async () => (await elsewhere.offer({})).status === 201, 'the policy to take effect');
  const log = await auditor.wholeLog();
  expect(log.filter(({ action }) => action === 'presence.configure').at(-1)).toMatchObject({
    actor: { type: 'operator' },
    changes: { policy: { from: 'optional', to: 'required' } },
  });
});

it('leaves provider and outcome in the record of the offer, and nothing of the proof', async () => {
  const body = await withProof();
  await shop.offer(body);
  await expectRejected(shop, body, 422, 'presence_replayed');
  const [rejected, accepted] = await auditor.wholeLog({ action: 'offer.create' });
  expect(rejected).toMatchObject({ outcome: { result: 'failure', status: 422, code: 'presence_replayed' } });
  expect(accepted).toMatchObject({
    outcome: { result: 'success' },
    changes: { presence: { to: { provider: 'altcha', outcome: 'verified' } } },
  });
  expect(JSON.stringify([rejected, accepted])).not.toContain(body.presence.payload.slice(20, 60));
});

describe('the challenge', () => {
  const path = (client: Client, query = `client_id=${client.app.clientId}`) =>
    `/o/${client.app.org}/api/presence/challenge?${query}`;
  const send = (target: string, origin?: string, method = 'GET') =>
    exchange({ origin: stack.gateways[0]!, method, path: target, headers: origin === undefined ? {} : { origin } });

  it.each(['GET', 'OPTIONS'])('allows the origin of the app by CORS, and no other (%s)', async (method) => {
    const allowed = await send(path(shop), 'https://shop.example', method);
    expect([
      allowed.status,
      allowed.headers['access-control-allow-origin'],
      allowed.headers.vary,
      allowed.headers['cache-control'],
    ]).toEqual([method === 'GET' ? 200 : 204, 'https://shop.example', 'Origin', 'no-store']);
    expect(allowed.headers['access-control-allow-credentials']).toBeUndefined();
    for (const origin of [
      'https://evil.example',
      'http://shop.example',
      'https://shop.example:8443',
      'https://a.shop.example',
      'null',
      undefined,
    ]) {
      const { status, headers } = await send(path(shop), origin, method);
      expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([
        method === 'GET' ? 200 : 204,
        undefined,
        'Origin',
      ]);
    }
  });

  it('allows an origin that is registered in addition to the redirect URIs', async () => {
    await stack.operator('app', 'update', kiosk.app.clientId, '--origin', 'https://www.kiosk.example');
    await eventually(
      async () =>
        (await send(path(kiosk), 'https://www.kiosk.example')).headers['access-control-allow-origin'] ===
        'https://www.kiosk.example',
      'the origin to take effect',
    );
  });

  it('is the same 404 for an app that is unknown, of another organization, disabled or suspended', async () => {
    const clients = await newClients({ shop: {}, disabled: {} });
    await stack.operator('app', 'disable', clients.disabled.app.clientId);
    const targets = [
      path(shop, 'client_id=nobody'),
      path(shop, `client_id=${elsewhere.app.clientId}`),
      `/o/no-such-organization/api/presence/challenge?client_id=${shop.app.clientId}`,
      `/o/${'a'.repeat(60)}/api/presence/challenge?client_id=x`,
      path(clients.disabled),
    ];
    const replies = await Promise.all(
      targets.map((target) => callApi(stack, 'GET', target, { headers: { 'x-request-id': 'same' } })),
    );
    expect(replies.map(({ status, body: { code } }) => [status, code])).toEqual(
      targets.map(() => [404, 'unknown_app']),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect((await send(path(clients.shop))).status).toBe(200);
    await stack.operator('org', 'suspend', clients.shop.app.org);
    await eventually(async () => (await send(path(clients.shop))).status === 404, 'the suspension');
  });

  it.each(['', 'client_id=', 'client_id=a&client_id=b', 'client_id=x&more=1', `client_id=${'a'.repeat(65)}`])(
    'is 400 with the query %j',
    async (query) => {
      expect((await callApi(stack, 'GET', path(shop, query))).body).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
    },
  );
});

it('has a widget that any origin may load and cache for ever', async () => {
  const { status, headers } = await exchange({ origin: stack.gateways[0]!, path: '/assets/altcha/3.2.2-1/widget.js' });
  expect([status, headers['cache-control'], headers['access-control-allow-origin']]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    '*',
  ]);
});

it('is 422 after its expiration', async () => {
  await untilPast(late.challenge.parameters.expiresAt * 1000);
  await expectRejected(shop, altcha(late), 422, 'presence_expired');
});
