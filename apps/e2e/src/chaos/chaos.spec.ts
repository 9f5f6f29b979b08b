// Kills (kill -9) and hanging replicas under load, then the loss of all of JetStream's files: every acknowledged change
// exists exactly once. Each service has a database of its own (docs/adr/0048-database-per-service.md); stacks with one
// database are under the other end-to-end tests.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseServices } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { closeConnections, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { chaosSeed } from '../stack/config.ts';
import { asOwner } from '../stack/database.ts';
import { killAtRandom, underLoad, type Disturbance, type Oracle } from './chaos.ts';
import { checkAll } from './checks.ts';
import type { AcknowledgedCustomer } from './customer.ts';
import { hangAtRandom, type Hang } from './hangs.ts';
import { LogReceiver } from './log-receiver.fixture.ts';
import { LogoutTokens } from './logout-tokens.fixture.ts';
import { PrivateStack } from './private-stack.ts';
import { WebhookReceivers } from './webhook-receivers.fixture.ts';

interface Report {
  findings: { check: string; result: string }[];
}

const seed = chaosSeed();
const readModel = ['subjects-1', 'subjects-2'];
const receiver = new LogReceiver(seed);
const webhooks = new WebhookReceivers(seed);
const logouts = new LogoutTokens(seed);
const ownStack = new PrivateStack(join(stack.home, 'chaos'), 'gateway=2,subjects=2,issuance=2,audit=2,signals=2');
ownStack.options = ['--own-databases'];

const watermarks = () =>
  asOwner(
    ownStack,
    async (client) => (await client.query<{ org: string }>('SELECT DISTINCT org FROM watermarks.subjects')).rows,
    'subjects',
  );
/** A customer with one open offer. */
const offered = (subject: string): AcknowledgedCustomer => ({
  subject,
  status: 'offered',
  erased: false,
  events: ['offer.created'],
  actions: [],
  sessions: [],
});
const pauseReadModel = () => Promise.all(readModel.map((replica) => ownStack.control('pause', replica)));
const resumeReadModel = () => Promise.all(readModel.map((replica) => ownStack.control('resume', replica)));

describe(`a stack with a database for each service (HOLDFAST_CHAOS_SEED=${seed})`, () => {
  let oracle: Oracle;
  let hangs: Hang[];
  beforeAll(async () => {
    await Promise.all([receiver, webhooks, logouts].map((one) => one.open()));
    ownStack.settings = { OUTBOUND_ALLOW: [receiver, webhooks, logouts].map(({ origin }) => origin).join() };
    await ownStack.start();
  });
  afterAll(async () => {
    receiver.close();
    webhooks.close();
    logouts.close();
    oracle.logConsumers?.remove();
    await ownStack.remove();
    closeConnections();
  });

  it('has the tables of one service in each database, and nothing else', async () => {
    for (const service of databaseServices) {
      const { rows } = await asOwner(
        ownStack,
        (client) =>
          client.query<{ schema: string }>(
            `SELECT DISTINCT schemaname AS schema FROM pg_tables
             WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'watermarks')`,
          ),
        service,
      );
      expect(rows).toEqual([{ schema: service }]);
    }
  });

  it('has a part for each database in a support bundle', async () => {
    const file = join(ownStack.home, 'bundle.tar.gz');
    const { parts } = await ownStack.operator<{ parts: { file: string; missing?: string }[] }>(
      ...['support-bundle', '--out', file],
    );
    const names = databaseServices.map((_, i) => (i === 0 ? 'database.json' : `database-${i + 1}.json`));
    expect(parts.filter(({ missing }) => missing !== undefined)).toEqual([]);
    expect(parts.map((part) => part.file)).toEqual(expect.arrayContaining(names));
    execFileSync('tar', ['-xzf', file], { cwd: ownStack.home });
    const reports = names.map((name) => readFileSync(join(ownStack.home, 'support-bundle', name), 'utf8'));
    const ofServices = reports.map((text) => JSON.parse(text) as { services: string[]; tables: { table: string }[] });
    expect(ofServices.map(({ services }) => services).sort()).toEqual(
      databaseServices.map((service) => [service]).sort(),
    );
    for (const { services, tables } of ofServices)
      expect(tables.filter(({ table }) => !table.startsWith(`${services[0]}.`))).toEqual([]);
  });

  it('keeps every acknowledged change exactly once while processes are killed and replicas hang', async () => {
    const print = () => undefined;
    const disturb: Disturbance = async (load, _, customers) => {
      await killAtRandom(ownStack, { kills: 5, seed, print }, load);
      hangs = await hangAtRandom(ownStack, { hangs: 2, seed, print }, load);
      const goal = load.acknowledged + 6;
      await pauseReadModel();
      await eventually(() => load.acknowledged >= goal, '6 changes while the read model is paused');
      await resumeReadModel();
      await eventually(() => {
        expect(customers.length).toBeGreaterThanOrEqual(30);
        expect(new Set(customers.flatMap((c) => c.events)).size).toBeGreaterThanOrEqual(6);
        expect(customers.flatMap((c) => c.sessions).some(({ ended }) => ended)).toBe(true);
      });
    };
    const options = { seed, width: 6, pauseMs: 100, print, logConsumers: { receiver }, webhooks, logouts };
    oracle = await underLoad(ownStack, options, disturb);
    expect(await checkAll(oracle)).toEqual([]);
  });

  it('answers at least half of the requests while one of two replicas is paused or cut off', () => {
    expect(hangs).toHaveLength(2);
    for (const hang of hangs) {
      // On a busy machine few requests begin within the seconds of a hang, and most that end began before.
      const bounded = hang.failed <= Math.max(hang.requests / 2, hang.acknowledged);
      expect({ ...hang, bounded }).toEqual({ ...hang, bounded: true });
    }
  });

  it('refuses reads after the response to a change until the lagging read model shows it', async () => {
    const { shop, org } = oracle;
    await pauseReadModel();
    const { status, body } = await shop.offer();
    expect(status).toBe(201);
    expect(await watermarks()).toEqual([{ org }]);
    expect((await shop.get<Problem>(body.subject)).status).toBe(503);
    await resumeReadModel();
    await eventually(async () => expect((await shop.get(body.subject)).status).toBe(200));
    expect((await shop.erase(body.subject)).status).toBe(204);
    oracle.customers.push({ ...offered(body.subject), erased: true });
    expect((await shop.get<Problem>(body.subject)).body.code).toBe('unknown_subject');
    await eventually(async () => expect(await watermarks()).toEqual([]));
  });

  it('verifies the audit log with the command line, and finds nothing wrong in the databases', async () => {
    const [key = ''] = await ownStack.operator<string[]>('audit', 'key', oracle.org);
    expect(await ownStack.operator('audit', 'verify', oracle.org, '--key', key)).toMatchObject({ verified: true });
    // On a busy machine a replica may announce itself late; then the command exits with 1.
    await eventually(async () => {
      const { findings } = await ownStack
        .operator<Report>('doctor')
        .catch(({ stdout }: { stdout: string }) => JSON.parse(stdout) as Report);
      expect(findings.filter(({ result }) => result === 'failed' || result === 'skipped')).toEqual([]);
      expect(findings.filter(({ check }) => check === 'roles')).toHaveLength(databaseServices.length);
    });
  });

  it('loses no change when the files of JetStream are deleted between stop and start', async () => {
    await ownStack.stop();
    ownStack.deleteJetStream();
    await ownStack.start();
    const { status, body } = await oracle.shop.offer();
    expect(status).toBe(201);
    oracle.customers.push(offered(body.subject));
    expect(await checkAll(oracle)).toEqual([]);
  });
});
