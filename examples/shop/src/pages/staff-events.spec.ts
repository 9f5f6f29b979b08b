import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { settingsOf } from '../config.ts';
import type { SecurityEvent } from '../holdfast/security-events.ts';
import { openShop, type Shop } from '../shop.ts';
import { staffEventRoutes } from './staff-events.ts';

const issuer = 'http://localhost:8080/o/acme';
const redirectUris = ['http://localhost:4000/acme/staff/callback'];
const apps = [
  { name: 'shop', clientId: 'app_shop', clientSecret: 's' },
  { name: 'staff', clientId: 'app_staff', clientSecret: 's', redirectUris },
  { name: 'security events', kind: 'receiver', clientId: 'app_receiver', clientSecret: 's' },
];
const [settings] = settingsOf(
  { baseUrl: 'http://localhost:8080', organizations: [{ shortId: 'acme', issuer, apps }] },
  { shop: 4000 },
);

let folder: string;
let shop: Shop;
let app: FastifyInstance;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shop-'));
  shop = openShop(settings!, folder);
  app = Fastify();
  app.decorate('shop', shop);
  app.decorate('area', shop.staff!);
  await app.register(staffEventRoutes, { securityEvents: shop.securityEvents! });
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const event = (jti: string): SecurityEvent => ({
  jti,
  iat: 1_795_730_743,
  sub_id: { format: 'iss_sub', sub: 'ada' },
  events: { 'https://schemas.openid.net/secevent/risc/event-type/account-disabled': {} },
});

/** The ids of the messages until one ends the connection. */
async function idsUntil(last: string, lastSeen: string | undefined, onId: (id: string) => void = () => {}) {
  const headers = lastSeen === undefined ? {} : { 'last-event-id': lastSeen };
  const response = await app.inject({ url: '/stream', headers, payloadAsStream: true });
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
  const ids: string[] = [];
  for await (const chunk of response.stream()) {
    const arrived = [...String(chunk).matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
    ids.push(...arrived);
    arrived.forEach(onId);
    if (arrived.includes(last)) break;
  }
  return ids;
}

test('the stream has what a browser has not seen, then what arrives, each once', async () => {
  shop.securityEvents!.recent.push(event('a'), event('b'));
  const emitAfterB = (id: string) => void (id === 'b' && shop.securityEvents!.emit('event', event('c')));
  expect(await idsUntil('c', 'a', emitAfterB)).toEqual(['b', 'c']);
  expect(await idsUntil('b', undefined)).toEqual(['a', 'b']);
  // The last one that it has seen is not kept any more, so all that is kept is newer.
  expect(await idsUntil('b', 'gone')).toEqual(['a', 'b']);
});

test('an event after a browser has left is sent to nobody, and harms nothing', async () => {
  shop.securityEvents!.recent.push(event('a'));
  await idsUntil('a', undefined);
  shop.securityEvents!.emit('event', event('b'));
  expect(await idsUntil('a', undefined)).toEqual(['a']);
});
