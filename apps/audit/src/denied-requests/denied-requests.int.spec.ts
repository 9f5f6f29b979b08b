import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deniedRequestId } from '@holdfast/audit-client';
import { appendRecords, countDeniedRequests, listAuditEvents, type AuditRecord } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import type { RunningService } from '@holdfast/service';
import { eventually, FakeClock, testContext, type TestDatabase } from '@holdfast/testing';
import { auditDatabase, auditKeys, nextRunOf, recordOf, startAudit, startAuditBus } from '../audit.fixture.js';
import { settleMs } from './denied-request-counts.js';

function denied(code: string, count: number, occurredAt = '2026-11-21T09:30:10.000Z'): AuditRecord {
  const record = {
    occurredAt,
    action: 'request.denied' as const,
    actor: { type: 'anonymous' as const, id: 'anonymous' },
    targets: [],
    outcome: { result: 'denied' as const, status: 401, code, count },
    request: testContext().request,
  };
  return { id: deniedRequestId('acme', record), ...record };
}

describe('counts of denied requests', () => {
  let environment: Awaited<ReturnType<typeof startAuditBus>>;
  let tables: TestDatabase;
  let service: RunningService;
  let bus: Bus;
  const clock = new FakeClock();
  const start = async () => {
    service = await startAudit(environment.nats, tables, auditKeys(), clock);
  };
  const count = (source: string, ...records: AuditRecord[]) =>
    bus.request(
      countDeniedRequests,
      { source, deniedRequests: records.map((record) => ({ org: 'acme', record })) },
      testContext(),
    );
  const list = async () =>
    (await bus.request(listAuditEvents, { filter: { action: 'request.denied' }, limit: 200 }, testContext())).items.map(
      ({ outcome, occurredAt }) => [outcome.code, outcome.count, occurredAt],
    );
  const storedCounts = async () => (await tables.query('SELECT * FROM audit.denied_request_count')).length;

  beforeAll(async () => {
    environment = await startAuditBus();
    bus = environment.bus;
    tables = await auditDatabase();
    await start();
    const first = recordOf({ action: 'subject.list', occurredAt: clock.now().toISOString() });
    await bus.request(appendRecords, { records: [{ org: 'acme', record: first }] }, testContext());
  });
  afterAll(async () => {
    await service.stop();
    await tables.drop();
    await environment.stop();
  });
  beforeEach(() => clock.set('2026-11-21T09:30:30.000Z'));

  it('of all processes become one record when the minute is over, even after a restart', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await count(one, denied('missing_token', 1), denied('invalid_token', 7));
    await count(one, denied('missing_token', 5));
    await count(two, denied('missing_token', 3));
    await count(one, denied('missing_token', 2));
    await service.stop();
    await start();
    clock.set('2026-11-21T09:31:04.900Z');
    await nextRunOf('denied_request_counts');
    expect(await list()).toEqual([]);
    clock.advance(100);
    await eventually(async () => (await list()).length === 2);
    expect((await list()).sort()).toEqual([
      ['invalid_token', 7, '2026-11-21T09:30:10.000Z'],
      ['missing_token', 8, '2026-11-21T09:30:10.000Z'],
    ]);
    await eventually(async () => (await storedCounts()) === 0);
  });

  it('are rejected when the record of their minute may be appended already', async () => {
    clock.set(new Date(Date.parse('2026-11-21T09:31:00.000Z') + settleMs));
    await expect(count(randomUUID(), denied('missing_token', 1))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await storedCounts()).toBe(0);
  });

  it('of an organization without a log are deleted after ten minutes', async () => {
    const record = { ...denied('missing_token', 1, '2026-11-21T09:30:20.000Z'), id: randomUUID() };
    await bus.request(
      countDeniedRequests,
      { source: randomUUID(), deniedRequests: [{ org: 'made-up', record }] },
      testContext(),
    );
    clock.advance(120_000);
    await nextRunOf('denied_request_counts');
    expect(await storedCounts()).toBe(1);
    clock.advance(600_000);
    await eventually(async () => (await storedCounts()) === 0);
    expect((await tables.query("SELECT * FROM audit.entry WHERE org = 'made-up'")).length).toBe(0);
  });
});
