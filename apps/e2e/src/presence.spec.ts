// Product §5, presence: whenever it is sent it is verified, for organization, app and purpose, and it makes one offer.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callApi, type Client } from './client.ts';
import { eventually } from './parallel.ts';
import { closeConnections, exchange } from './http.ts';
import { encodePayload, presenceProof, solvedChallenge, type SolvedChallenge } from './presence.ts';
import { customerScopes, demoClient, newClients, stack } from './under-test.ts';

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
/** Refused so, and the list is as long as before. */
const expectRejected = async (client: Client, body: object, status: number, code: string, options = {}) => {
  const before = (await client.all()).length;
  const reply = await client.offer<{ code: string; errors?: { pointer?: string }[] }>(body, options);
  expect({ status: reply.status, code: reply.body.code }).toEqual({ status, code });
  if (code.startsWith('presence_') && status === 422) expect(reply.body.errors?.[0]?.pointer).toBe('#/presence');
  if (status === 503) expect(reply.headers['retry-after']).toBe('1');
  expect(await client.all()).toHaveLength(before);
};

it('demo.json says which organization needs one', async () => {
  expect(stack.demo.organizations.map(({ shortId, presence }) => [shortId, presence])).toEqual([
    ['acme', 'optional'],
    ['globex', 'required'],
  ]);
  const globex = demoClient('globex', 'shop', customerScopes);
  expect((await globex.offer({})).body).toMatchObject({ code: 'presence_required' });
  expect((await globex.offer(await withProof(globex))).status).toBe(201);
});

it('missing where it is required is refused; a further offer needs none, and a bad one is refused all the same', async () => {
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

it('where it is optional none is needed, and a bad one is refused all the same', async () => {
  expect((await elsewhere.offer({})).status).toBe(201);
  await expectRejected(elsewhere, { presence: { type: 'altcha', payload: 'rubbish' } }, 422, 'presence_invalid');
  expect((await elsewhere.offer(await withProof(elsewhere))).status).toBe(201);
});

it('is for one offer', async () => {
  const body = await withProof();
  expect((await shop.offer(body)).status).toBe(201);
  await expectRejected(shop, body, 422, 'presence_replayed');
  await expectRejected(shop, body, 422, 'presence_replayed', { headers: { 'idempotency-key': randomUUID() } });
});

it('of twenty requests with one proof, on both gateways, one makes an offer', async () => {
  const body = await withProof();
  const before = (await shop.all()).length;
  const replies = await Promise.all(Array.from({ length: 20 }, () => shop.offer<{ code: string }>(body)));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(new Set(replies.filter(({ status }) => status !== 201).map(({ body: { code } }) => code))).toEqual(
    new Set(['presence_replayed']),
  );
  expect(await shop.all()).toHaveLength(before + 1);
});

it('an honest retry gets the first answer', async () => {
  const body = await withProof();
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const replies = await Promise.all(Array.from({ length: 5 }, () => shop.offer(body, options)));
  const made = replies.filter(({ status }) => status === 201).map((reply) => reply.body.offerId);
  expect([
    new Set(made).size,
    new Set(replies.filter(({ status }) => status !== 201).map(({ status }) => status)),
  ]).toEqual([1, made.length === 5 ? new Set() : new Set([409])]);
  const again = await shop.offer(body, options);
  expect([again.status, again.body.offerId, again.headers['idempotency-replayed']]).toEqual([201, made[0], 'true']);
  // Idempotency is looked at first: other content under the same key is that mistake, whatever its proof is worth.
  await expectRejected(shop, {}, 422, 'idempotency_mismatch', options);
});

it('a refused offer does not use it up', async () => {
  const proof = await withProof();
  await expectRejected(shop, { ...proof, credentialType: 'unheard-of' }, 422, 'unknown_credential_type');
  await expectRejected(shop, { ...proof, subject: randomUUID() }, 404, 'unknown_subject');
  await expectRejected(shop, { ...proof, returnUrl: 'https://evil.example/' }, 422, 'invalid_request');
  expect((await shop.offer(proof)).status).toBe(201);
});

it('of another app or organization is none', async () => {
  const ofShop = await solvedChallenge(shop);
  await expectRejected(kiosk, altcha(ofShop), 422, 'presence_invalid');
  await expectRejected(elsewhere, altcha(ofShop), 422, 'presence_invalid');
  const disguised = structuredClone(ofShop);
  Object.assign(disguised.challenge.parameters.data, { org: elsewhere.app.org, client_id: elsewhere.app.clientId });
  await expectRejected(elsewhere, altcha(disguised), 422, 'presence_invalid');
  expect((await shop.offer(altcha(ofShop))).status).toBe(201);
});

describe('changed in', () => {
  let solved: SolvedChallenge;
  beforeAll(async () => void (solved = await solvedChallenge(shop)));
  const flip = (hex: string) => hex.replace(/.$/, (c) => (c === '0' ? '1' : '0'));
  const changes: [string, (s: SolvedChallenge) => void][] = [
    ...['nonce', 'salt', 'keyPrefix', 'keySignature'].map((name): [string, (s: SolvedChallenge) => void] => [
      name,
      ({ challenge: { parameters } }) => void (parameters[name] = flip(String(parameters[name]))),
    ]),
    ['its time, later', ({ challenge: { parameters } }) => void (parameters.expiresAt += 3600)],
    ['its time, long ago', ({ challenge: { parameters } }) => void (parameters.expiresAt = 1)],
    ['its cost', ({ challenge: { parameters } }) => void (parameters.cost = 999)],
    ['its purpose', ({ challenge: { parameters } }) => void (parameters.data.purpose = 'login')],
    ['its id', ({ challenge: { parameters } }) => void (parameters.data.id = randomUUID())],
    ['the signature', ({ challenge }) => void (challenge.signature = flip(challenge.signature))],
    ['the key', ({ solution }) => void (solution.derivedKey = flip(solution.derivedKey))],
    ['the counter', ({ solution }) => void (solution.counter += 1)],
  ];
  it.each(changes)('%s', async (_, change) => {
    const changed = structuredClone(solved);
    change(changed);
    await expectRejected(shop, altcha(changed), 422, 'presence_invalid');
  });
  it('nothing', async () => expect((await shop.offer(altcha(solved))).status).toBe(201));
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
])('%j is no proof: 422, pointing at it', async (presence) => {
  const { status, body } = await shop.offer<{ code: string; errors: { pointer: string }[] }>({ presence });
  expect([status, body.code, body.errors.every(({ pointer }) => pointer.startsWith('#/presence'))]).toEqual([
    422,
    'invalid_request',
    true,
  ]);
});

it('Turnstile: none without a secret; broken is 503, and never a pass', async () => {
  const presence = { type: 'turnstile', token: randomUUID() };
  await expectRejected(shop, { presence }, 422, 'presence_invalid');
  // The stack of the tests is told to ask for Turnstile where it may not go.
  await stack.operatorWith('a-secret', 'presence', 'set', shop.app.org, '--turnstile-secret-stdin');
  await eventually(
    async () => (await shop.offer<{ code: string }>({ presence })).body.code === 'presence_unavailable',
    3000,
    'the secret in force',
  );
  await expectRejected(shop, { presence }, 503, 'presence_unavailable');
  expect(await stack.operator('presence', 'set', shop.app.org, '--no-turnstile')).toEqual({
    policy: 'required',
    turnstile: false,
  });
});

it('a change of policy is in force within a second, with its record', async () => {
  await stack.operator('presence', 'set', elsewhere.app.org, '--policy', 'required');
  await eventually(async () => (await elsewhere.offer({})).status === 422, 1500, 'the policy in force');
  await stack.operator('presence', 'set', elsewhere.app.org, '--policy', 'optional');
  await eventually(async () => (await elsewhere.offer({})).status === 201, 1500, 'the policy in force');
  const log = await auditor.wholeLog();
  expect(log.filter(({ action }) => action === 'presence.configure').at(-1)).toMatchObject({
    actor: { type: 'operator' },
    changes: { policy: { from: 'optional', to: 'required' } },
  });
});

it('the record of the offer says provider and outcome, and never the proof', async () => {
  const body = await withProof();
  await shop.offer(body);
  await expectRejected(shop, body, 422, 'presence_replayed');
  const [refused, made] = await auditor.wholeLog({ action: 'offer.create' });
  expect(refused).toMatchObject({ outcome: { result: 'failure', status: 422, code: 'presence_replayed' } });
  expect(made).toMatchObject({
    outcome: { result: 'success' },
    changes: { presence: { to: { provider: 'altcha', outcome: 'verified' } } },
  });
  expect(JSON.stringify([refused, made])).not.toContain(body.presence.payload.slice(20, 60));
});

describe('the challenge', () => {
  const path = (client: Client, query = `client_id=${client.app.clientId}`) =>
    `/o/${client.app.org}/api/presence/challenge?${query}`;
  const send = (target: string, origin?: string, method = 'GET') =>
    exchange({ origin: stack.gateways[0]!, method, path: target, headers: origin === undefined ? {} : { origin } });

  it.each(['GET', 'OPTIONS'])('%s names the origin that asked when it is the app’s, and no other', async (method) => {
    const ours = await send(path(shop), 'https://shop.example', method);
    expect([
      ours.status,
      ours.headers['access-control-allow-origin'],
      ours.headers.vary,
      ours.headers['cache-control'],
    ]).toEqual([method === 'GET' ? 200 : 204, 'https://shop.example', 'Origin', 'no-store']);
    expect(ours.headers['access-control-allow-credentials']).toBeUndefined();
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

  it('an origin that is registered beside the redirect URIs may ask', async () => {
    await stack.operator('app', 'update', kiosk.app.clientId, '--origin', 'https://www.kiosk.example');
    await eventually(
      async () =>
        (await send(path(kiosk), 'https://www.kiosk.example')).headers['access-control-allow-origin'] ===
        'https://www.kiosk.example',
      2000,
      'the origin in force',
    );
  });

  it('one answer for what is not there: app, organization, another’s app, disabled, suspended', async () => {
    const gone = await newClients({ shop: {}, off: {} });
    await stack.operator('app', 'disable', gone.off.app.clientId);
    const where = [
      path(shop, 'client_id=nobody'),
      path(shop, `client_id=${elsewhere.app.clientId}`),
      `/o/no-such-organization/api/presence/challenge?client_id=${shop.app.clientId}`,
      `/o/${'a'.repeat(60)}/api/presence/challenge?client_id=x`,
      path(gone.off),
    ];
    const answers = await Promise.all(
      where.map((target) => callApi(stack, 'GET', target, { headers: { 'x-request-id': 'same' } })),
    );
    expect(answers.map(({ status, body: { code } }) => [status, code])).toEqual(where.map(() => [404, 'unknown_app']));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await send(path(gone.shop))).status).toBe(200);
    await stack.operator('org', 'suspend', gone.shop.app.org);
    await eventually(async () => (await send(path(gone.shop))).status === 404, 1500, 'the suspension');
  });

  it.each(['', 'client_id=', 'client_id=a&client_id=b', 'client_id=x&more=1', `client_id=${'a'.repeat(65)}`])(
    'with %j is 400',
    async (query) => {
      expect((await callApi(stack, 'GET', path(shop, query))).body).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
    },
  );
});

it('the widget is served for any origin, and kept for ever', async () => {
  const { status, headers } = await exchange({ origin: stack.gateways[0]!, path: '/assets/altcha/3.2.2-1/widget.js' });
  expect([status, headers['cache-control'], headers['access-control-allow-origin']]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    '*',
  ]);
});

it('runs out', async () => {
  await sleep(Math.max(0, late.challenge.parameters.expiresAt * 1000 - Date.now()));
  await expectRejected(shop, altcha(late), 422, 'presence_expired');
}, 30_000);
