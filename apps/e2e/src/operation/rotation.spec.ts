// Every key and password is rotated by the steps of docs/runbook.md, all of them together, while customers are offered
// credentials, claim them, sign in and are erased. Each service has two replicas, which are restarted one after the
// other.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseRole, databaseServices, serviceNames, type ServiceName } from '@holdfast/contracts';
import { databasePasswordName, secretTable } from '@holdfast/platform-policy';
import { eventually } from '@holdfast/testing';
import { underLoad, type Load } from '../chaos/chaos.ts';
import { checkAll } from '../chaos/checks.ts';
import { PrivateStack } from '../chaos/private-stack.ts';
import { requestToken } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { chaosSeed } from '../stack/config.ts';
import { query } from '../stack/database.ts';
import type { StackSecrets } from '../stack/stack.ts';
import { unexplained, type Replacement } from '../versions/replace.ts';

const width = 2;
const rotated = secretTable.filter(({ name }) => name !== 'POSTGRES_PASSWORD');
const namesOf = (entries: typeof rotated): string[] => entries.map(({ name }) => name);
const keys = namesOf(rotated.filter(({ hasPrevious }) => hasPrevious));
const nkeys = namesOf(rotated.filter(({ kind }) => kind === 'nkey'));
const passwords = namesOf(rotated.filter(({ kind }) => kind === 'password'));
const auditKeys = 'AUDIT_SIGNING_KEYS';
const ownStack = new PrivateStack(
  join(stack.home, 'rotation'),
  serviceNames.map((service) => `${service}=2`).join(','),
  {
    PRESENCE_SECONDS: '5',
  },
);
const replacements: Replacement[] = [];

beforeAll(() => ownStack.start());
afterAll(async () => {
  await ownStack.remove();
  closeConnections();
});

const rotate = (step: string, names: string[], ...options: string[]) =>
  ownStack.operator<{ changed: string[] }>(
    ...['secrets', 'rotate', step, ...names, '--file', join(ownStack.home, 'secrets.json')],
    ...options,
  );

/** One replica of each service after the other: the launcher reads the secrets again at each start. */
async function restart(load: Load, replicas = [1, 2]): Promise<void> {
  for (const replica of replicas) {
    const from = performance.now();
    const restartOne = async (service: string) => {
      await ownStack.control('stop', `${service}-${replica}`);
      await ownStack.control('start', `${service}-${replica}`);
    };
    await Promise.all(serviceNames.map(restartOne));
    const to = performance.now();
    const gateway = ownStack.gateways[replica - 1]!;
    replacements.push(
      ...serviceNames.map((service) => ({
        target: `${service}-${replica}`,
        from,
        to,
        ...(service === 'gateway' && { gateway }),
      })),
    );
    const goal = load.acknowledged + 10;
    await eventually(() => load.acknowledged >= goal, `10 changes after replicas ${replica} were restarted`);
  }
}

/** The error of PostgreSQL with the password of a service that these secrets have. */
async function signInError(service: ServiceName, secrets: StackSecrets): Promise<string | undefined> {
  const url = new URL(ownStack.launcher.databaseUrl);
  url.username = databaseRole(service);
  url.password = secrets[databasePasswordName(service)]!;
  const client = new pg.Client({ connectionString: url.href });
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What finish says that the old values are needed for. */
const reasonFor = (names: string[]) =>
  rotate('finish', names).then(
    () => '',
    (error: Error & { stderr?: string }) => error.stderr ?? String(error),
  );

it('loses and rejects no request while every key and password is rotated, and works without the old ones', async () => {
  const before = ownStack.secrets;
  const apps = ownStack.demo.organizations.flatMap((o) => o.apps.map(({ name }) => ownStack.app(o.shortId, name)));
  const withSecret = apps.filter(({ clientSecret }) => clientSecret);
  const oracle = await underLoad(
    ownStack,
    { seed: chaosSeed(), width, pauseMs: 200, print: () => undefined },
    async (load, clients) => {
      await eventually(() => load.acknowledged >= 10, 'the load to begin');
      const all = [...keys, ...nkeys, auditKeys, ...passwords];
      expect((await rotate('start', all)).changed).toEqual(all);
      expect((await rotate('start', keys)).changed).toEqual([]);
      await ownStack.control('reload', 'nats');
      for (const { shortId } of ownStack.demo.organizations)
        await eventually(() => ownStack.operator('key', 'rotate', shortId));
      expect(await reasonFor(passwords)).toMatch(/PostgreSQL refuses the new password of holdfast_auth/);
      // New processes use the earlier passwords until PostgreSQL has the new ones.
      await restart(load);
      await ownStack.operator('database', 'setup');
      expect((await rotate('switch', [...keys, ...nkeys])).changed).toEqual([...keys, ...nkeys]);
      expect(await reasonFor(['KEY_ENCRYPTION_KEY_AUTH'])).toMatch(/No replica of auth uses the new value/);
      await restart(load);

      // Client secrets are stored under the new pepper when their apps use them.
      expect(await reasonFor(['SECRET_PEPPER'])).toMatch(/sec_[\w-]+ of app_/);
      for (const app of withSecret) await requestToken(ownStack, app, 'offers:write');
      for (const client of clients) await client.newToken();
      const sealed = keys.filter((key) => key.startsWith('KEY_ENCRYPTION_KEY') || key === 'PRESENCE_KEY');
      await rotate('finish', sealed, '--wait', '60');
      // These end by themselves, in hours or days: nobody waits for them here.
      const waiting = await reasonFor(['COOKIE_KEY', 'PAGE_TOKEN_KEY']);
      expect(waiting).toMatch(/COOKIE_KEY: .*expires at/);
      expect(waiting).toMatch(/PAGE_TOKEN_KEY: Until /);
      await rotate('finish', ['COOKIE_KEY', 'PAGE_TOKEN_KEY', 'SECRET_PEPPER'], '--anyway');
      await rotate('finish', [...nkeys, ...passwords]);
      await ownStack.control('reload', 'nats');
      await ownStack.operator('key', 'rotate', '--platform', '--overlap', '2');
      // The replicas that stay have both values in memory, and open new connections below.
      await restart(load, [1]);
    },
  );
  // Beside five services that start at once, a request may wait too long on a busy machine, and is repeated.
  const explained = 0.2;
  expect([...unexplained(oracle.attempts, replacements, explained), ...(await checkAll(oracle))]).toEqual([]);
  // A verifier that has pinned the earlier key can verify the log until now, which checkAll has done.
  await rotate('finish', [auditKeys], '--anyway');
  const after = ownStack.secrets;
  const isRotated = (key: string) => after[key] !== before[key] && after[`${key}_PREVIOUS`] === undefined;
  expect([...keys, ...nkeys, auditKeys, ...passwords].filter((key) => !isRotated(key))).toEqual([]);
  expect(await rotate('status', [])).toEqual([]);
  for (const service of databaseServices)
    expect([service, await signInError(service, before)]).toEqual([service, '28P01']);
  // Every process can open new connections, also those that were not restarted.
  await query(ownStack, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'holdfast\\_%'`);
  const { shop, customers } = oracle;
  await eventually(async () => expect((await shop.offer()).status).toBe(201));
  const { subject } = customers.find(({ erased }) => !erased)!;
  await eventually(async () => expect((await shop.get(subject)).status).toBe(200));
  await eventually(async () => expect(await oracle.reader.feed()).not.toEqual([]));
  for (const app of withSecret) expect((await requestToken(ownStack, app, 'offers:write')).status).not.toBe(401);
});
