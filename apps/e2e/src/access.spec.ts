// "Disabled means disabled": what the operator takes away is refused by every gateway and the token endpoint within a
// second.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, requestToken } from './client.ts';
import { cleanEnvironment } from './config.ts';
import { eventually, inParallel, sleep } from './parallel.ts';
import { closeConnections, exchange, type Problem } from './http.ts';
import { root, type App } from './stack.ts';
import { customerScopes, demoClient, newClients, stack } from './under-test.ts';

const second = 1000;
/** The command prints when directory has answered; the clock runs from there. */
const slack = 150;

afterAll(closeConnections);

const listWith = async (app: App, token: string, gateway: number) =>
  (
    await exchange<Problem>({
      origin: stack.gateways[gateway]!,
      path: `/o/${app.org}/api/credentials/subjects?limit=1`,
      headers: { authorization: `Bearer ${token}` },
    })
  ).status;

/** Runs a command of the operator and notes when it says that it is done. */
function operatorAt(...args: string[]): Promise<{ doneAt: number }> {
  const child = spawn(process.execPath, [join(root, 'tools', 'holdfast.mjs'), ...args, '--json'], {
    env: cleanEnvironment({ HOLDFAST_HOME: stack.home }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let doneAt: number | undefined;
    child.stdout.on('data', () => (doneAt ??= performance.now()));
    child.on('exit', (code) =>
      code === 0 && doneAt !== undefined ? resolve({ doneAt }) : reject(new Error(`${args.join(' ')} failed`)),
    );
  });
}

/**
 * Calls every gateway again and again from before the change on; when each first refused, and whether it let anybody in
 * after.
 */
async function watch(
  app: App,
  token: string,
  change: () => Promise<{ doneAt: number }>,
): Promise<{ late: number[]; letInAgain: boolean }> {
  const refusedAt: (number | undefined)[] = stack.gateways.map(() => undefined);
  let letInAgain = false;
  let watching = true;
  const watchers = stack.gateways.map(async (_, gateway) => {
    while (watching) {
      const status = await listWith(app, token, gateway);
      if (status === 401) refusedAt[gateway] ??= performance.now();
      else if (status === 200 && refusedAt[gateway] !== undefined) letInAgain = true;
      else if (status !== 200) throw new Error(`gateway ${gateway} answered ${status}`);
      await sleep(20);
    }
  });
  const { doneAt } = await change();
  await sleep(second + 500);
  watching = false;
  await Promise.all(watchers);
  return { late: refusedAt.map((at) => (at === undefined ? Infinity : at - doneAt)), letInAgain };
}

async function expectRefused(app: App, token: string, ...command: string[]): Promise<void> {
  const { late, letInAgain } = await watch(app, token, () => operatorAt(...command));
  expect(Math.max(...late)).toBeLessThan(second + slack);
  expect(letInAgain).toBe(false);
}

const tokenStatus = async (app: App, scope = 'issued:read') => (await requestToken(stack, app, scope)).status;

describe('an app that is disabled', () => {
  let app: App;
  let other: Client;
  beforeAll(async () => {
    const clients = await newClients({ shop: {}, other: {} });
    app = clients.shop.app;
    other = clients.other;
  });

  it('is refused everywhere, gets no token, and nobody else is hit', async () => {
    const token = await new Client(stack, app).newToken();
    await expectRefused(app, token, 'app', 'disable', app.clientId);
    expect(await tokenStatus(app)).toBe(401);
    expect((await other.list()).status).toBe(200);
    expect((await demoClient('acme', 'shop').list({ limit: '1' })).status).toBe(200);
  });

  it('answers a refused app as one that is not there', async () => {
    const [disabled, unknown] = await Promise.all(
      [app.clientId, 'app_AAAAAAAAAAAAAAAAAAAAAA'].map((clientId) =>
        requestToken(stack, { ...app, clientId }, 'issued:read'),
      ),
    );
    expect(disabled!.text).toBe(unknown!.text);
  });

  it('is let in again when it is enabled', async () => {
    await operatorAt('app', 'enable', app.clientId);
    const token = await eventually(
      async () => (await requestToken(stack, app, 'issued:read')).body.access_token,
      second,
      'a token',
    );
    for (const gateway of stack.gateways.keys())
      await eventually(async () => (await listWith(app, token, gateway)) === 200, second);
  });
});

describe('an operation that is taken from an app', () => {
  it('ends its tokens and is not given out any more; what is left is', async () => {
    const { shop } = await newClients({ shop: {} });
    const { app } = shop;
    const token = await shop.newToken();
    await expectRefused(app, token, 'grant', 'remove', app.clientId, 'issued:manage');
    expect(await requestToken(stack, app, 'issued:manage')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    expect(await requestToken(stack, app, 'issued:read issued:manage')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const reader = shop.with('offers:write', 'issued:read');
    await eventually(async () => (await reader.list()).status === 200, second);
    const { body } = await reader.offer();
    expect((await reader.erase(body.subject)).status).toBe(403);

    await operatorAt('grant', 'add', app.clientId, 'issued:manage');
    const again = await eventually(
      async () => (await requestToken(stack, app, 'issued:manage')).body.access_token,
      second,
      'the operation',
    );
    expect(again).toBeDefined();
    expect((await shop.with('issued:manage').erase(body.subject)).status).toBe(204);
  });

  it('cannot be granted where it must not be', async () => {
    const { service, web } = await newClients({ service: { kind: 'service', grants: ['audit:read'] }, web: {} });
    const refused = [
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
    await inParallel(refused, 2, (command) => expect(stack.operator(...command)).rejects.toThrow());
    expect(await tokenStatus(service.app, 'roles:manage')).toBe(400);
    expect((await stack.operator<App[]>('app', 'list', web.app.org)).map((a) => a.scopes.length).sort()).toEqual([
      1, 3,
    ]);
  });
});

describe('a secret that is revoked', () => {
  it('ends the tokens got with it; those of the other secret go on', async () => {
    const { shop } = await newClients({ shop: {} });
    const { app } = shop;
    const [first] = await stack.operator<{ id: string }[]>('secret', 'list', app.clientId);
    const made = await stack.operator<{ secretId: string; clientSecret: string }>('secret', 'create', app.clientId);
    const second: App = { ...app, clientSecret: made.clientSecret };
    const oldToken = await shop.newToken();
    const newToken = await eventually(
      async () => (await requestToken(stack, second, 'issued:read')).body.access_token,
      1000,
      'a token for the new secret',
    );
    expect(await tokenStatus(app)).toBe(200);
    await expect(stack.operator('secret', 'create', app.clientId)).rejects.toThrow();

    await expectRefused(app, oldToken, 'secret', 'revoke', app.clientId, first!.id);
    expect(await tokenStatus(app)).toBe(401);
    expect(await tokenStatus(second)).toBe(200);
    for (const gateway of stack.gateways.keys()) expect(await listWith(app, newToken, gateway)).toBe(200);
  });
});

describe('an organization that is suspended', () => {
  it('takes all of its apps with it, and nobody else; resumed, they are back', async () => {
    const { shop, kiosk } = await newClients({ shop: {}, kiosk: { grants: customerScopes.slice(0, 2) } });
    const { org } = shop.app;
    const kioskToken = await kiosk.newToken();
    await expectRefused(shop.app, await shop.newToken(), 'org', 'suspend', org);
    for (const gateway of stack.gateways.keys()) expect(await listWith(kiosk.app, kioskToken, gateway)).toBe(401);
    expect(await tokenStatus(shop.app)).toBe(401);
    expect(await tokenStatus(kiosk.app)).toBe(401);
    expect((await demoClient('acme', 'shop').list({ limit: '1' })).status).toBe(200);

    await operatorAt('org', 'resume', org);
    await eventually(async () => (await tokenStatus(shop.app)) === 200, 1000);
    const token = await shop.newToken();
    for (const gateway of stack.gateways.keys())
      await eventually(async () => (await listWith(shop.app, token, gateway)) === 200, 1000);
  });

  it('that is disabled as well stays refused: the strictest wins', async () => {
    const { shop } = await newClients({ shop: {} });
    const { org, clientId } = shop.app;
    await operatorAt('app', 'disable', clientId);
    await operatorAt('org', 'suspend', org);
    await operatorAt('org', 'resume', org);
    await sleep(second);
    expect(await tokenStatus(shop.app)).toBe(401);
  });
});
