// A stack in which each service has a database of its own (docs/adr/0048-database-per-service.md) keeps every promise.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseServices } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { underLoad, type Disturbance, type Oracle } from './chaos/chaos.ts';
import { checkAll } from './chaos/checks.ts';
import { PrivateStack } from './chaos/private-stack.ts';
import { chaosSeed } from './config.ts';
import { asOwner } from './database.ts';
import { closeConnections, type Problem } from './http.ts';
import { stack } from './under-test.ts';

interface Report {
  findings: { check: string; result: string }[];
}

const seed = chaosSeed();
const replicas = ['subjects-1', 'subjects-2'];
const ownStack = new PrivateStack(join(stack.home, 'own-databases'), 'gateway=2,subjects=2,issuance=2');
ownStack.options = ['--own-databases'];

const watermarks = () =>
  asOwner(
    ownStack,
    async (client) => (await client.query<{ org: string }>('SELECT DISTINCT org FROM watermarks.subjects')).rows,
    'subjects',
  );
const pauseReadModel = () => Promise.all(replicas.map((replica) => ownStack.control('pause', replica)));
const resumeReadModel = () => Promise.all(replicas.map((replica) => ownStack.control('resume', replica)));

describe(`a stack with a database for each service (HOLDFAST_CHAOS_SEED=${seed})`, () => {
  let oracle: Oracle;
  beforeAll(() => ownStack.start());
  afterAll(async () => {
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

  it('keeps claims, sign-ins, erasures and audit logs right while the read model hangs', async () => {
    const disturb: Disturbance = async (load, _, customers) => {
      const until = (more: number) => {
        const goal = load.acknowledged + more;
        return eventually(() => load.acknowledged >= goal);
      };
      await until(20);
      await pauseReadModel();
      await until(6);
      await resumeReadModel();
      await until(10);
      await eventually(() => {
        expect(customers.some(({ erased }) => erased)).toBe(true);
        expect(customers.some(({ status }) => status === 'issued')).toBe(true);
      });
    };
    oracle = await underLoad(ownStack, { seed, width: 4, print: () => undefined }, disturb);
    expect(await checkAll(oracle)).toEqual([]);
  });

  it('refuses reads after the response to a change until the lagging read model shows it', async () => {
    const { shop, org } = oracle;
    await pauseReadModel();
    const offered = await shop.offer();
    expect(offered.status).toBe(201);
    expect(await watermarks()).toEqual([{ org }]);
    expect((await shop.get<Problem>(offered.body.subject)).status).toBe(503);
    await resumeReadModel();
    await eventually(async () => expect((await shop.get(offered.body.subject)).status).toBe(200));
    expect((await shop.erase(offered.body.subject)).status).toBe(204);
    expect((await shop.get<Problem>(offered.body.subject)).body.code).toBe('unknown_subject');
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
});
