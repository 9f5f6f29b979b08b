import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { RevocationFeed } from '@holdfast/access';
import type { exchangeHubSession, PersonTokenClaims, ReplyOf, RequestContext } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { newRequestContext } from '../edge/request-context.js';
import type { AccessTokens } from './access-token.js';
import { sessionHashOf } from './hub-cookie.js';
import { PersonSessions } from './person-sessions.js';

const id = 'a'.repeat(43);
const requestContext = newRequestContext({ headers: {}, ip: '192.0.2.1' });
const request = { method: 'GET', headers: {}, routeOptions: {}, requestContext } as unknown as FastifyRequest;

/** What auth replies, and how often it was asked. */
let reply: () => Promise<ReplyOf<typeof exchangeHubSession>>;
let exchanges: { session: string; org: string }[];
/** The lowest version that the revocation feed accepts. */
let minVersion: number;
let sessions: PersonSessions;

const active = (version: number) => async () => ({ state: 'active' as const, token: String(version) });

beforeEach(() => {
  [exchanges, minVersion, reply] = [[], 0, active(1)];
  sessions = new PersonSessions(
    {
      request: (_: unknown, { session }: { session: string }, { org }: RequestContext) => {
        exchanges.push({ session, org });
        return reply();
      },
    } as unknown as Bus,
    {
      verifyPersonToken: (token: string) =>
        Promise.resolve({ sub: 'p', org: 'acme', person_version: Number(token) } as PersonTokenClaims),
    } as unknown as AccessTokens,
    {
      checkPerson: ({ person_version }: PersonTokenClaims) =>
        Promise.resolve(person_version < minVersion ? 'revoked' : 'valid'),
    } as unknown as RevocationFeed,
    { BASE_URL: 'https://id.example' },
  );
});

test('ten concurrent requests of a session share one exchange, and auth gets the hash of the id only', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => sessions.authenticate(request, 'acme', id)));
  expect(all.map(({ sub }) => sub)).toEqual(Array(10).fill('p'));
  expect(exchanges).toEqual([{ session: sessionHashOf(id), org: 'acme' }]);
});

test('a token is used for less than a second, however often', async () => {
  await sessions.authenticate(request, 'acme', id);
  const startedAtMs = performance.now();
  while (exchanges.length < 2) {
    await sessions.authenticate(request, 'acme', id);
    await sleep(20);
  }
  // On a slow machine the exchange comes later than it could, and never sooner.
  expect(performance.now() - startedAtMs).toBeGreaterThan(700);
});

test('the token is exchanged again when the feed says that the roles changed', async () => {
  await sessions.authenticate(request, 'acme', id);
  [minVersion, reply] = [2, active(2)];
  expect(await sessions.authenticate(request, 'acme', id)).toMatchObject({ person_version: 2 });
  expect(exchanges).toHaveLength(2);
});

test.each<[string, () => Promise<ReplyOf<typeof exchangeHubSession>>]>([
  ['the session has ended', async () => ({ state: 'ended' })],
  ['directory still replies the version that the feed refuses', active(1)],
])('a person whose rights were taken is refused when %s', async (_, next) => {
  await sessions.authenticate(request, 'acme', id);
  [minVersion, reply] = [2, next];
  await expect(sessions.authenticate(request, 'acme', id)).rejects.toMatchObject({ code: 'invalid_token' });
});

test('a token of another organization is refused', async () => {
  await expect(sessions.authenticate(request, 'globex', id)).rejects.toMatchObject({ code: 'invalid_token' });
});

test('a failed exchange is an error, and is not remembered', async () => {
  reply = () => Promise.reject(new AppError('unavailable'));
  await expect(sessions.authenticate(request, 'acme', id)).rejects.toMatchObject({ code: 'unavailable' });
  reply = active(1);
  expect(await sessions.authenticate(request, 'acme', id)).toMatchObject({ sub: 'p' });
});

test('nothing is left of a session that was signed out here', async () => {
  await sessions.authenticate(request, 'acme', id);
  sessions.forget('acme', id);
  reply = async () => ({ state: 'ended' });
  await expect(sessions.authenticate(request, 'acme', id)).rejects.toMatchObject({ code: 'invalid_token' });
});

test('the cookie does not count beside an Authorization header', () => {
  const cookie = `__Host-holdfast-acme-hub=${id}`;
  expect(sessions.idIn({ headers: { cookie } } as FastifyRequest, 'acme')).toBe(id);
  expect(sessions.idIn({ headers: { cookie, authorization: 'Bearer x' } } as FastifyRequest, 'acme')).toBeUndefined();
});
