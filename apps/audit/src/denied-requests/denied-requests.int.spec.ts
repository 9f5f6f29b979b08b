import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { refusalId } from '@holdfast/audit-client';
import { appendRecords, countDeniedRequests, listAuditEvents, type AuditRecord } from '@holdfast/contracts';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import { eventually, FakeClock, startTestBus, testContext, type TestBus, type TestDatabase } from '@holdfast/testing';
import { AuditModule } from '../app.module.js';
import { auditConfig, auditDatabase } from '../audit.fixture.js';
import { settled } from './count-denied-requests.handler.js';

const quiet = createLogger('test', 'fatal');

function refusal(code: string, count: number, occurredAt = '2026-11-21T09:30:10.000Z'): AuditRecord {
  const record = {
    occurredAt,
    action: 'request.denied' as const,
    actor: { type: 'anonymous' as const, id: 'anonymous' },
    targets: [],
    outcome: { result: 'denied' as const, status: 401, code, count },
    request: testContext().request,
  };
  return { id: refusalId('acme', record), ...record };
}

describe('counted refusals', () => {
  let nats: TestBus;
  let tables: TestDatabase;
  let service: RunningService;
  let bus: Bus;
  const clock = new FakeClock();
  const start = async () => {
    const config = auditConfig(nats, tables);
    service = await startService({
      service: 'audit',
      config,
      module: AuditModule,
      clock,
      logger: quiet,
      database: { url: config.DATABASE_URL, pool: 4 },
    });
  };
  const count = (source: string, ...records: AuditRecord[]) =>
    bus.request(
      countDeniedRequests,
      { source, refusals: records.map((record) => ({ org: 'acme', record })) },
      testContext(),
    );
  const list = async () =>
    (await bus.request(listAuditEvents, { filter: { action: 'request.denied' }, limit: 200 }, testContext())).items.map(
      ({ outcome, occurredAt }) => [outcome.code, outcome.count, occurredAt],
    );
  const kept = async () => (await tables.query('SELECT * FROM audit.refusal')).length;

  beforeAll(async () => {
    nats = await startTestBus();
    const deploy = await connectBus({ url: nats.url, nkeySeed: nats.seed('deploy'), user: 'deploy' }, quiet);
    await declareStreams(deploy);
    await deploy.close();
    bus = new Bus(await connectBus({ url: nats.url, nkeySeed: nats.seed('gateway'), user: 'gateway' }, quiet));
    tables = await auditDatabase();
    await start();
    const { auditId: id, actor, request } = testContext();
    await bus.request(
      appendRecords,
      {
        records: [
          {
            org: 'acme',
            record: {
              id,
              occurredAt: clock.now().toISOString(),
              action: 'subject.list',
              actor,
              targets: [],
              outcome: { result: 'success' },
              request,
            },
          },
        ],
      },
      testContext(),
    );
  });
  afterAll(async () => {
    await service.stop();
    await bus.connection.close();
    await tables.drop();
    await nats.stop();
  });
  beforeEach(() => clock.set('2026-11-21T09:30:30.000Z'));

  it('of all who counted them get one place when their minute is over, whatever became of who counted', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await count(one, refusal('missing_token', 1), refusal('invalid_token', 7));
    await count(one, refusal('missing_token', 5));
    await count(two, refusal('missing_token', 3));
    await count(one, refusal('missing_token', 2));
    await service.stop();
    await start();
    clock.set('2026-11-21T09:31:04.900Z');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await list()).toEqual([]);
    clock.advance(100);
    await eventually(async () => (await list()).length === 2, 5000);
    expect((await list()).sort()).toEqual([
      ['invalid_token', 7, '2026-11-21T09:30:10.000Z'],
      ['missing_token', 8, '2026-11-21T09:30:10.000Z'],
    ]);
    await eventually(async () => (await kept()) === 0, 5000);
  });

  it('are not taken when their record may have its place: they would be counted by nobody', async () => {
    clock.set(new Date(Date.parse('2026-11-21T09:31:00.000Z') + settled));
    await expect(count(randomUUID(), refusal('missing_token', 1))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await kept()).toBe(0);
  });

  it('of an organization that somebody made up are forgotten, and of one whose making is not here yet are kept a while', async () => {
    const made = { ...refusal('missing_token', 1, '2026-11-21T09:30:20.000Z'), id: randomUUID() };
    await bus.request(
      countDeniedRequests,
      { source: randomUUID(), refusals: [{ org: 'made-up', record: made }] },
      testContext(),
    );
    clock.advance(120_000);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await kept()).toBe(1);
    clock.advance(600_000);
    await eventually(async () => (await kept()) === 0, 5000);
    expect((await tables.query("SELECT * FROM audit.entry WHERE org = 'made-up'")).length).toBe(0);
  });
});
