// Product §4, "Disabled means disabled": every gateway and the token endpoint deny a revoked right within a second.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { Client, requestToken } from '../clients/client.ts';
import { closeConnections, exchange, type Problem } from '../clients/http.ts';
import { customerScopes, demoClient, newClients, stack } from '../clients/under-test.ts';
import { inParallel } from '../stack/parallel.ts';
import type { App } from '../stack/stack.ts';

const promiseMs = 1000;
/** The command prints its result some time after directory has committed the change, and a busy machine is late. */
const toleranceMs = 1000;
/** On a busy machine everything is late by some requests' time. On a quiet one they take a few milliseconds. */
const latenessFactor = 5;

afterAll(closeConnections);

const statusOfList = async (app: App, token: string, gateway: number) =>
  (
    await exchange<Problem>({
      origin: stack.gateways[gateway]!,
      path: `/o/${app.org}/api/credentials/subjects?limit=1`,
      headers: { authorization: `Bearer ${token}` },
    })
  ).status;

/** Runs a command of the operator. Resolves to the time of its result. */
async function timedOperator(...args: string[]): Promise<{ doneAt: number }> {
  await stack.operator(...args);
  return { doneAt: performance.now() };
}

/**
 * Calls every gateway repeatedly during the change, until each has denied the token, and for a second longer. Resolves
 * to the delay after which each denied it, to whether one accepted it afterwards, and to how long the slowest request
 * of the watch took.
 */
async function watchGateways(
  app: App,
  token: string,
  change: () => Promise<{ doneAt: number }>,
): Promise<{ delays: number[]; acceptedAgain: boolean; slowestMs: number }> {
  const deniedAt: (number | undefined)[] = stack.gateways.map(() => undefined);
  let acceptedAgain = false;
  let slowestMs = 0;
  let watching = true;
  const watchers = stack.gateways.map(async (_, gateway) => {
    while (watching) {
      const sentAt = performance.now();
      const status = await statusOfList(app, token, gateway);
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      if (status === 401) deniedAt[gateway] ??= performance.now();
      else if (status === 200 && deniedAt[gateway] !== undefined) acceptedAgain = true;
      else if (status !== 200) throw new Error(`gateway ${gateway} returned ${status}`);
      await sleep(20);
    }
  });
  const { doneAt } = await change();
  await eventually(() => !deniedAt.includes(undefined), 'every gateway to deny the token').catch(() => undefined);
  await sleep(promiseMs);
  watching = false;
  await Promise.all(watchers);
  return { delays: deniedAt.map((at) => (at === undefined ? Infinity : at - doneAt)), acceptedAgain, slowestMs };
}

async function expectDeniedAfter(app: App, token: string, ...command: string[]): Promise<void> {
  const { delays, acceptedAgain, slowestMs } = await watchGateways(app, token, () => timedOperator(...command));
  expect(Math.max(...delays)).toBeLessThan(promiseMs + toleranceMs + latenessFactor * slowestMs);
  expect(acceptedAgain).toBe(false);
}

const tokenStatus = async (app: App, scope = 'issued:read') => (await requestToken(stack, app, scope)).status;
/** An access token as soon as the token endpoint issues one. */
const tokenOnceIssued = (app: App, scope = 'issued:read') =>
  eventually(async () => (await requestToken(stack, app, scope)).body.access_token ?? false, 'a token');

describe('a disabled app', () => {
  let app: App;
  let other: Client;
  beforeAll(async () => {
    const clients = await newClients({ shop: {}, other: {} });
    app = clients.shop.app;
    other = clients.other;
  });

  it('is denied by every gateway within a second and gets no token, and other apps are not affected', async () => {
    const token = await new Client(stack, app).newToken();
    await expectDeniedAfter(app, token, 'app', 'disable', app.clientId);
    expect(await tokenStatus(app)).toBe(401);
    expect((await other.list()).status).toBe(200);
    expect((await demoClient('acme', 'shop').list({ limit: '1' })).status).toBe(200);
  });

  it('gets the same response from the token endpoint as an unknown app', async () => {
    const [disabled, unknown] = await Promise.all(
      [app.clientId, 'app_AAAAAAAAAAAAAAAAAAAAAA'].map((clientId) =>
        requestToken(stack, { ...app, clientId }, 'issued:read'),
      ),
    );
    expect(disabled!.text).toBe(unknown!.text);
  });

  it('is accepted again after it was enabled', async () => {
    await timedOperator('app', 'enable', app.clientId);
    const token = await tokenOnceIssued(app);
    for (const gateway of stack.gateways.keys())
      await eventually(async () => (await statusOfList(app, token, gateway)) === 200);
  });
});

describe('an operation that was removed from an app', () => {
  it('ends the tokens with it and is not granted any more, and the others still are', async () => {
    const { shop } = await newClients({ shop: {} });
    const { app } = shop;
    const token = await shop.newToken();
    await expectDeniedAfter(app, token, 'grant', 'remove', app.clientId, 'issued:manage');
    expect(await requestToken(stack, app, 'issued:manage')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    expect(await requestToken(stack, app, 'issued:read issued:manage')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const reader = shop.with('offers:write', 'issued:read');
    await eventually(async () => (await reader.list()).status === 200);
    const { body } = await reader.offer();
    expect((await reader.erase(body.subject)).status).toBe(403);

    await timedOperator('grant', 'add', app.clientId, 'issued:manage');
    expect(await tokenOnceIssued(app, 'issued:manage')).toEqual(expect.any(String));
    expect((await shop.with('issued:manage').erase(body.subject)).status).toBe(204);
  });

  it('cannot be granted to a kind of app that must not have it', async () => {
    const { service, web } = await newClients({ service: { kind: 'service', grants: ['audit:read'] }, web: {} });
    const commands = [
      ...['roles:manage', 'billing:manage', 'vault:manage', 'nothing:known'].map((operation) => [
        'grant',
        'add',
        service.app.clientId,
        operation,
      ]),
      ['grant', 'add', web.app.clientId, 'audit:read'],
      ['app', 'create', web.app.org, '--name', 'another', '--kind', 'service', '--grant', 'vault:manage'],
      ['app', 'create', web.app.org, '--name', 'another', '--kind', 'spa', '--grant', 'issued:read'],
    ];
    await inParallel(commands, 2, (command) => expect(stack.operator(...command)).rejects.toThrow());
    expect(await tokenStatus(service.app, 'roles:manage')).toBe(400);
    // The third app is the organization's hub, which holds no scope.
    expect((await stack.operator<App[]>('app', 'list', web.app.org)).map((a) => a.scopes.length).sort()).toEqual([
      0, 1, 3,
    ]);
  });
});

describe('a revoked secret', () => {
  it('ends the tokens that were issued for it, and not those of the other secret', async () => {
    const { shop } = await newClients({ shop: {} });
    const { app } = shop;
    const [first] = await stack.operator<{ id: string }[]>('secret', 'list', app.clientId);
    const created = await stack.operator<{ secretId: string; clientSecret: string }>('secret', 'create', app.clientId);
    const withNewSecret: App = { ...app, clientSecret: created.clientSecret };
    const oldToken = await shop.newToken();
    const newToken = await tokenOnceIssued(withNewSecret);
    expect(await tokenStatus(app)).toBe(200);
    await expect(stack.operator('secret', 'create', app.clientId)).rejects.toThrow();

    await expectDeniedAfter(app, oldToken, 'secret', 'revoke', app.clientId, first!.id);
    expect(await tokenStatus(app)).toBe(401);
    expect(await tokenStatus(withNewSecret)).toBe(200);
    for (const gateway of stack.gateways.keys()) expect(await statusOfList(app, newToken, gateway)).toBe(200);
  });
});

describe('a suspended organization', () => {
  it('has no access with any app until it is resumed, and others are not affected', async () => {
    const { shop, kiosk } = await newClients({ shop: {}, kiosk: { grants: customerScopes.slice(0, 2) } });
    const { org } = shop.app;
    const kioskToken = await kiosk.newToken();
    await expectDeniedAfter(shop.app, await shop.newToken(), 'org', 'suspend', org);
    for (const gateway of stack.gateways.keys()) expect(await statusOfList(kiosk.app, kioskToken, gateway)).toBe(401);
    expect(await tokenStatus(shop.app)).toBe(401);
    expect(await tokenStatus(kiosk.app)).toBe(401);
    expect((await demoClient('acme', 'shop').list({ limit: '1' })).status).toBe(200);

    await timedOperator('org', 'resume', org);
    const token = await tokenOnceIssued(shop.app);
    for (const gateway of stack.gateways.keys())
      await eventually(async () => (await statusOfList(shop.app, token, gateway)) === 200);
  });

  it('leaves a disabled app disabled when it is resumed: the strictest state wins', async () => {
    const { shop, kiosk } = await newClients({ shop: {}, kiosk: {} });
    const { org, clientId } = shop.app;
    await timedOperator('app', 'disable', clientId);
    await timedOperator('org', 'suspend', org);
    await timedOperator('org', 'resume', org);
    await tokenOnceIssued(kiosk.app);
    expect(await tokenStatus(shop.app)).toBe(401);
  });
});
