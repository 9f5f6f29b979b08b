import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendRecords,
  auditCheckpoint,
  auditVerifierKeys,
  exportAuditEntries,
  type Contract,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import type { RunningService } from '@holdfast/service';
import { eventually, testContext, type TestDatabase } from '@holdfast/testing';
import { openCheckpoint, parseVerifierKey } from '@holdfast/tlog';
import { auditDatabase, auditKeys, recordOf, startAudit, startAuditBus, tamperWith } from '../audit.fixture.js';

describe('a log that can no longer be signed', () => {
  let environment: Awaited<ReturnType<typeof startAuditBus>>;
  let tables: TestDatabase;
  let keys: ReturnType<typeof auditKeys>;
  let service: RunningService;

  const start = async () => {
    service = await startAudit(environment.nats, tables, keys);
  };
  const request = <C extends Contract>(contract: C, input: RequestOf<C>): Promise<ReplyOf<C>> =>
    environment.bus.request(contract, input as never, testContext());
  const append = (count: number) =>
    environment.bus.request(
      appendRecords,
      { records: Array.from({ length: count }, () => ({ org: 'acme', record: recordOf() })) },
      testContext(),
    );
  const tamper = (sql: string) => tamperWith(tables, sql);

  beforeAll(async () => {
    environment = await startAuditBus();
  });
  afterAll(() => environment.stop());
  beforeEach(async () => {
    keys = auditKeys();
    tables = await auditDatabase();
    await start();
  });
  afterEach(async () => {
    await service.stop();
    await tables.drop();
  });

  it.each<[string, number, string, RegExp]>([
    [
      'a hash of a complete subtree was changed',
      600,
      `UPDATE audit.subtree SET hash = '\\x${'00'.repeat(32)}' WHERE level = 1 AND index = 0`,
      /does not continue the 600 of the checkpoint/,
    ],
    [
      'a subtree was deleted',
      600,
      'DELETE FROM audit.subtree WHERE index = 1',
      /the hashes of entries 1 to 512 1 of 2 are gone/,
    ],
    [
      'the last leaf was deleted',
      5,
      'DELETE FROM audit.leaf WHERE seq = 5',
      /the hashes of entries 5 to 5 1 of 1 are gone/,
    ],
    ['its head was deleted', 5, 'DELETE FROM audit.head', /audit\.head\) is gone/],
  ])(
    'when %s, is reported as broken by exports and readiness, with the number of unsigned entries',
    async (_, size, change, why) => {
      await append(size);
      await request(auditCheckpoint, {});
      await tamper(change);
      // A log without a head takes no more records.
      const more = change.includes('head') ? 0 : 3;
      if (more > 0) await append(more);
      await expect(request(auditCheckpoint, {})).rejects.toMatchObject({
        code: 'unavailable',
        detail: expect.stringMatching(why) as unknown,
      });
      const { checkpoint: note, broken } = await request(exportAuditEntries, { after: 0, limit: 10 });
      expect(openCheckpoint(note, (await request(auditVerifierKeys, {})).keys.map(parseVerifierKey)).size).toBe(size);
      expect(broken).toEqual({
        detail: expect.stringMatching(why) as unknown,
        since: expect.any(String) as unknown,
        unsigned: more,
      });
      const port = service.opsPort;
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([
        200,
        expect.stringMatching(/^ready\nthe audit log of acme is broken and not signed: /),
      ]);
      expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('holdfast_audit_logs_broken 1');
    },
  );

  it('when nobody has requested a checkpoint since, is reported after a restart', async () => {
    await append(300);
    await request(auditCheckpoint, {});
    await service.stop();
    await tamper("UPDATE audit.head SET range = '\\x00'");
    await start();
    const ready = async () => (await fetch(`http://127.0.0.1:${service.opsPort}/readyz`)).text();
    await eventually(async () => (await ready()).includes('its hashes are not those of'));
  });
});
