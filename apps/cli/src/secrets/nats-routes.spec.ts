import { expect, test } from '@jest/globals';
import { createCertificates } from './certificates.js';
import { memoryStore } from './memory-store.fixture.js';
import { createRoutes, routeChanges } from './nats-routes.js';

const routes = ['tls://hf-nats-0.hf-nats-headless:6222', 'tls://hf-nats-1.hf-nats-headless:6222'];
const parsed = (conf: string) => JSON.parse(conf) as Record<string, unknown>;

test('the password of routes is created once, and the routes name it', async () => {
  const store = memoryStore();
  expect(await createRoutes(store, 'hf-nats-routes', routes)).toBe(true);
  const { password, 'routes.conf': conf } = store.secret('hf-nats-routes');
  expect(password).toMatch(/^[\w-]{43}$/);
  expect(parsed(conf!)).toEqual({
    authorization: { user: 'route', password, timeout: 10 },
    routes: [0, 1].map((i) => `tls://route:${password}@hf-nats-${i}.hf-nats-headless:6222`),
  });
  expect(await createRoutes(store, 'hf-nats-routes', routes)).toBe(false);
});

test('the routes name a password that an operator has put there', () => {
  expect(parsed(routeChanges({ password: 'new' }, ['tls://a:6222'])['routes.conf']!)).toEqual({
    authorization: { user: 'route', password: 'new', timeout: 10 },
    routes: ['tls://route:new@a:6222'],
  });
});

test('the key of the certificate is pinned, and for the time of its renewal that of the one before', async () => {
  const store = memoryStore();
  const certificateAfter = async (days: number) => {
    const now = new Date(Date.now() + days * 86_400_000);
    await createCertificates(store, 'hf', [{ component: 'nats', names: ['hf-nats'] }], 90, now);
    return store.secret('hf-nats-tls')['tls.crt']!;
  };
  const pins = () => parsed(store.secret('r')['pins.conf']!).pinned_certs as string[];
  await createRoutes(store, 'r', routes, await certificateAfter(0));
  const [first] = pins();
  expect(pins()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  await createRoutes(store, 'r', routes, await certificateAfter(61));
  expect(pins()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), first]);
  const [second] = pins();
  await createRoutes(store, 'r', routes, await certificateAfter(122));
  expect(pins().slice(1)).toEqual([second]);
});
