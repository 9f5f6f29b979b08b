// Product, "Rate limits": a quota holds for all gateways together, and the operator sets it for an app or organization.
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { requestToken } from '../clients/client.ts';
import { closeConnections, exchange, type Reply } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';

afterAll(closeConnections);

const perMinute = 60;

async function tokenOf(app: App): Promise<string> {
  const reply = await requestToken(stack, app, 'issued:read');
  expect(reply.status).toBe(200);
  return reply.body.access_token;
}

const list = (app: App, token: string, gateway: number): Promise<Reply> =>
  exchange({
    origin: stack.gateways[gateway]!,
    path: `/o/${app.org}/api/credentials/subjects?limit=1`,
    headers: { authorization: `Bearer ${token}` },
  });

/** Sends requests until nine tenths of the quota were admitted, and then as many again. */
async function exhaust(app: App, token: string, gatewayOf: (i: number) => number): Promise<Reply[]> {
  const replies: Reply[] = [];
  const send = async () =>
    replies.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => list(app, token, gatewayOf(i))))));
  await eventually(async () => {
    await send();
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(0.9 * perMinute);
  });
  for (let i = 0; i < 6; i += 1) await send();
  return replies;
}

describe('the quota that the operator sets', () => {
  it.each([
    ['all at one gateway', 'app', () => 0],
    ['at each gateway in turn', 'org', (i: number) => i % stack.gateways.length],
  ] as const)('holds for all gateways together, with requests %s, set for the %s', async (_, level, gatewayOf) => {
    const { shop } = await newClients({ shop: { kind: 'service', grants: ['issued:read'] } });
    const { app } = shop;
    const target = level === 'app' ? app.clientId : app.org;
    await stack.operator(level, 'limits', target, '--read', String(perMinute));
    // Auth's cached record of the app is replaced within a second.
    let token = '';
    await eventually(async () => {
      token = await tokenOf(app);
      expect((await list(app, token, 0)).headers['ratelimit-policy']).toBe(`"read";q=${perMinute};w=60`);
    });
    const startedAtMs = performance.now();
    const replies = await exhaust(app, token, gatewayOf);
    const admitted = replies.filter(({ status }) => status === 200).length;
    const refill = ((performance.now() - startedAtMs) / 60_000) * perMinute;
    expect(admitted).toBeLessThanOrEqual(perMinute + refill + stack.gateways.length);
    const denied = replies.filter(({ status }) => status === 429);
    expect(denied.length).toBe(replies.length - admitted);
    for (const { headers, body } of denied) {
      expect(body.code).toBe('rate_limited');
      expect(headers).toMatchObject({ 'retry-after': '1', ratelimit: '"read";r=0;t=1' });
    }
    await stack.operator(level, 'limits', target, '--read', 'default');
    await eventually(async () => expect((await list(app, await tokenOf(app), 0)).status).toBe(200));
  });
});
