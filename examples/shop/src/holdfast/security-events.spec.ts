import { beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { SecurityEvents } from './security-events.ts';

const issuer = 'http://localhost:8080/o/acme';
const event = 'https://schemas.openid.net/secevent/caep/event-type/credential-change';
const pollUrl = `${issuer}/ssf/streams/1/poll`;
const streamsUrl = `${issuer}/ssf/streams`;
let privateKey: CryptoKey;
let otherKey: CryptoKey;
let publicKey: JWK;

/** Responses by address, consumed one after the other; the last one repeats. */
let replies: Record<string, { status?: number; body: unknown }[]>;
let requests: { url: string; method: string; body: unknown }[];
let events: SecurityEvents;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256');
  privateKey = pair.privateKey;
  publicKey = await exportJWK(pair.publicKey);
  otherKey = (await generateKeyPair('RS256')).privateKey;
});
beforeEach(() => {
  requests = [];
  replies = {
    'http://localhost:8080/.well-known/ssf-configuration/o/acme': [
      { body: { jwks_uri: `${issuer}/jwks`, configuration_endpoint: streamsUrl } },
    ],
    [`${issuer}/jwks`]: [{ body: { keys: [{ ...publicKey, kid: 'k', alg: 'RS256', use: 'sig' }] } }],
    'http://localhost:8080/oauth2/token': [{ body: { access_token: 't', expires_in: 300 } }],
    [streamsUrl]: [{ body: [{ delivery: { endpoint_url: pollUrl } }] }],
    [pollUrl]: [{ body: { sets: {} } }],
  };
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    requests.push({ url, method: init?.method ?? 'GET', body });
    const queue = replies[url]!;
    const { status = 200, body: reply } = queue.length > 1 ? queue.shift()! : queue[0]!;
    return new Response(JSON.stringify(reply), { status, headers: { 'content-type': 'application/json' } });
  });
  const tokenEndpoint = 'http://localhost:8080/oauth2/token';
  events = new SecurityEvents({ issuer, tokenEndpoint, clientId: 'app_1', clientSecret: 's' });
});

function token(jti: string, { aud = 'app_1', typ = 'secevent+jwt', key = privateKey } = {}): Promise<string> {
  const claims = {
    iss: issuer,
    aud,
    jti,
    sub_id: { format: 'iss_sub', iss: issuer, sub: 'ada' },
    events: { [event]: {} },
  };
  return new SignJWT(claims).setIssuedAt().setProtectedHeader({ alg: 'RS256', kid: 'k', typ }).sign(key);
}
const polls = () => requests.filter(({ url }) => url === pollUrl).map(({ body }) => body);

test('poll emits and keeps each valid token once, and acknowledges it with the next poll', async () => {
  const seen: string[] = [];
  events.on('event', ({ jti }) => seen.push(jti));
  replies[pollUrl] = [
    { body: { sets: { a: await token('a'), b: await token('b') } } },
    { body: { sets: { a: await token('a') } } },
  ];
  await events.poll();
  await events.poll();
  expect([seen, events.recent.map(({ jti }) => jti)]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(polls()).toEqual([{ ack: [] }, { ack: ['a', 'b'] }]);
});

test('poll drops a token of another key, receiver or kind, and does not ask for it again', async () => {
  const sets = {
    a: await token('a', { key: otherKey }),
    b: await token('b', { aud: 'app_2' }),
    c: await token('c', { typ: 'logout+jwt' }),
    d: 'no token',
  };
  replies[pollUrl] = [{ body: { sets } }, { body: { sets: {} } }];
  await events.poll();
  await events.poll();
  expect([events.recent, polls()[1]]).toEqual([[], { ack: ['a', 'b', 'c', 'd'] }]);
});

test('poll sends an acknowledgement again that got no response', async () => {
  replies[pollUrl] = [{ body: { sets: { a: await token('a') } } }, { status: 503, body: {} }, { body: { sets: {} } }];
  await events.poll();
  await expect(events.poll()).rejects.toThrow('status 503');
  await events.poll();
  expect(polls().slice(1)).toEqual([{ ack: ['a'] }, { ack: ['a'] }]);
});

test('poll creates the stream when there is none, and finds it again after it was deleted', async () => {
  const stream = { delivery: { endpoint_url: pollUrl } };
  replies[streamsUrl] = [{ body: [] }, { status: 201, body: stream }, { body: [stream] }];
  replies[pollUrl] = [{ body: { sets: {} } }, { status: 404, body: { code: 'not_found' } }, { body: { sets: {} } }];
  await events.poll();
  await expect(events.poll()).rejects.toThrow('404 not_found');
  await events.poll();
  expect(requests.filter(({ url }) => url === streamsUrl).map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
});

test('poll gets another access token after one was rejected', async () => {
  replies[pollUrl] = [{ status: 401, body: { code: 'invalid_token' } }, { body: { sets: {} } }];
  await expect(events.poll()).rejects.toThrow('401 invalid_token');
  await events.poll();
  expect(requests.filter(({ url }) => url.endsWith('/oauth2/token'))).toHaveLength(2);
});
