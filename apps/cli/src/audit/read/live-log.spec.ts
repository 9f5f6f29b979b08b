import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, dropped, dropRecord, entryOf, logOf, newSigner } from '@holdfast/testing/exported-log';
import { fileLines, LiveLog, verifyLive, type ReadPage } from './live-log.js';
import { verifyFile, writeLog } from './log-file.js';

const signer = newSigner();
const entries = logOf(44);
const note = checkpointOf(entries, signer);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a live log', () => {
  /** A log that grows by one entry with every page. */
  const growing = (pageSize: number): ReadPage => {
    const log: ExportedAuditEntry[] = [...entries];
    return (after) => {
      const page = log.slice(after, after + pageSize);
      const checkpoint = checkpointOf(log, signer);
      const hasMore = after + page.length < log.length;
      log.push(...logOf(log.length + 1).slice(-1));
      return Promise.resolve({ entries: page, checkpoint, hasMore, lateMs: 0 });
    };
  };

  test.each([1, 7, 44, 100])('is read up to its size at the first page, in pages of %s', async (pageSize) => {
    const seen: number[] = [];
    const log = await LiveLog.open(growing(pageSize), (done) => seen.push(done));
    expect(await verifyLive(log, [signer.key], [])).toMatchObject({ verified: true, entries: 44 });
    expect(seen.at(-1)).toBe(44);
  });

  const broken = { detail: 'entries were changed', since: '2026-11-21T09:30:10.000Z', unsigned: 3 };
  const sentence =
    'The log cannot be signed any more since 2026-11-21T09:30:10.000Z, because entries were changed. ' +
    'Nobody has signed the 3 entries after the newest checkpoint.';

  test('does not verify, live or from a file, when it cannot be signed any more', async () => {
    const read: ReadPage = (after) =>
      Promise.resolve({ entries: entries.slice(after), checkpoint: note, hasMore: false, lateMs: 0, broken });
    expect(await verifyLive(await LiveLog.open(read, () => undefined), [signer.key], [])).toMatchObject({
      verified: false,
      findings: [sentence],
      entries: 44,
    });
    const file = join(folder, 'broken.ndjson');
    await writeLog(file, fileLines(await LiveLog.open(read, () => undefined)));
    expect(await verifyFile(file, [signer.key], [])).toMatchObject({ verified: false, findings: [sentence] });
  });

  test('does not verify without any checkpoint', async () => {
    const read: ReadPage = () => Promise.resolve({ entries: [], checkpoint: '', hasMore: false, broken });
    expect((await verifyLive(await LiveLog.open(read, () => undefined), [signer.key], [])).findings[0]).toContain(
      'cannot be signed any more',
    );
  });

  test('does not verify with fewer entries than its checkpoint covers, and reading it ends', async () => {
    const short: ReadPage = (after) =>
      Promise.resolve({ entries: entries.slice(after, 40), checkpoint: note, hasMore: true, lateMs: 0 });
    expect((await verifyLive(await LiveLog.open(short, () => undefined), [signer.key], [])).findings).toEqual([
      'The log ends at 40, but the newest checkpoint covers 44: at least 4 entries are missing.',
    ]);
  });

  test('does not verify with an entry after its end', async () => {
    const stray: ReadPage = () =>
      Promise.resolve({ entries: [...entries, { ...entries[3]!, seq: 49 }], checkpoint: note, hasMore: false });
    expect((await verifyLive(await LiveLog.open(stray, () => undefined), [signer.key], [])).findings).toContain(
      'Entries 45 to 48 are missing: 44 is followed by 49.',
    );
  });

  test('is exported to a file that verifies and only its owner can read; to no file when reading fails', async () => {
    const file = join(folder, 'exported.ndjson');
    await writeLog(file, fileLines(await LiveLog.open(growing(7), () => undefined)));
    expect(await verifyFile(file, [signer.key], [])).toMatchObject({ verified: true, entries: 44 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!)).toMatchObject({
      type: 'end',
      count: 44,
      lastSeq: 44,
    });
    const failing: ReadPage = (after) =>
      after === 0 ? growing(7)(0) : Promise.reject(new Error('audit is unavailable'));
    const other = join(folder, 'other.ndjson');
    await expect(LiveLog.open(failing, () => undefined).then((log) => writeLog(other, fileLines(log)))).rejects.toThrow(
      'audit is unavailable',
    );
    expect(() => statSync(other)).toThrow('ENOENT');
    expect(() => statSync(`${other}.part`)).toThrow('ENOENT');
  });

  describe('with a drop of a month during the reading', () => {
    const seqs = [1, 2, 4, 5, 6];
    const old = Array.from({ length: 6 }, (_, i) =>
      entryOf(i + 1, {
        action: i === 2 ? 'subject.read' : 'offer.create',
        occurredAt: `2025-09-0${i + 1}T00:00:00.000Z`,
      }),
    );
    const whole = [...old, ...entries.slice(6)];
    /** Two entries per page. The drop happens after `read` pages, and `record` is appended `later` pages after it. */
    const dropping = (
      read: number,
      {
        droppedSeqs = seqs,
        record = dropRecord(45, seqs),
        later = 1,
      }: { droppedSeqs?: number[]; record?: ExportedAuditEntry | undefined; later?: number } = {},
    ): ReadPage => {
      const log = [...whole];
      let pages = 0;
      return (after) => {
        if (pages === read) for (const seq of droppedSeqs) log[seq - 1] = dropped(log[seq - 1]!);
        if (pages === read + later && record) log.push(record);
        pages += 1;
        const page = log.slice(after, after + 2);
        return Promise.resolve({
          entries: page,
          checkpoint: checkpointOf(log, signer),
          hasMore: after + page.length < log.length,
          lateMs: 0,
        });
      };
    };
    const opened = (read: ReadPage, timeoutMs: number) =>
      LiveLog.open(read, () => undefined, { timeoutMs, intervalMs: 1 });
    const live = async (read: ReadPage, timeoutMs = 10_000) =>
      verifyLive(await opened(read, timeoutMs), [signer.key], []);
    const exported = async (read: ReadPage) => {
      const file = join(folder, 'dropped.ndjson');
      await writeLog(file, fileLines(await opened(read, 10_000)));
      return verifyFile(file, [signer.key], []);
    };
    const dropNote = (readBefore: number) =>
      'Entry 45 records that 5 entries of class changes and month 2025-09 were dropped while the log was read; ' +
      `${readBefore} of them were read before.`;

    // The last dropped entry is on page 3; the log has 22 pages.
    test.each([
      [0, 0],
      [1, 2],
      [2, 3],
    ])(
      'after %s pages verifies up to the drop record with a note, live and from an exported file',
      async (read, readBefore) => {
        for (const later of [1, 22 - read, 30 - read]) {
          for (const verified of [live, exported]) {
            expect(await verified(dropping(read, { later }))).toMatchObject({
              verified: true,
              findings: [],
              entries: 45,
              dropped: 5 - readBefore,
              notes: [dropNote(readBefore)],
            });
          }
        }
      },
    );

    test('does not verify when other, more or fewer entries have no bytes than the drop record names', async () => {
      const other = dropRecord(45, [1, 2, 4, 5, 7]);
      const findings = async (given: Parameters<typeof dropping>[1]) => (await live(dropping(1, given), 500)).findings;
      expect(await findings({ record: other })).toEqual([
        'Entry 45 records that 5 entries of class changes and month 2025-09 were dropped, ' +
          'but 3, from seq 4 to 6, have no bytes.',
      ]);
      expect(await findings({ record: dropRecord(45, [1, 2, 4, 5]) })).toHaveLength(1);
      expect(await findings({ droppedSeqs: [...seqs, 3] })).toEqual([
        '1 entry of class reads and month 2025-09 has no bytes, at seq 3, and no record says that it was dropped: ' +
          'removed without a record.',
      ]);
      expect(await findings({ droppedSeqs: [1, 2, 4, 5] })).toEqual([
        expect.stringContaining('Entry 6 still has its bytes, but entry 45 records'),
        expect.stringContaining('Entry 45 records that 5'),
      ]);
    });

    test('does not verify without a drop record, or with one from before the reading began', async () => {
      const withRecord = dropping(1);
      const early = [...whole, dropRecord(45, seqs)];
      const before: ReadPage = (after) =>
        Promise.resolve({
          entries: early.slice(after, after + 2),
          checkpoint: checkpointOf(early, signer),
          hasMore: after + 2 < early.length,
          lateMs: 0,
        });
      const unrecorded: ReadPage = async (after) => {
        const { entries: page, ...rest } = await withRecord(after);
        return {
          ...rest,
          entries: page.filter(({ seq }) => seq <= 44),
          checkpoint: checkpointOf(whole, signer),
          hasMore: after + 2 < 44,
        };
      };
      expect((await live(unrecorded, 500)).findings).toEqual([
        '3 entries of class changes and month 2025-09 have no bytes, the first at seq 4, and no record says that ' +
          'they were dropped: removed without a record.',
      ]);
      expect((await live(before)).findings[0]).toContain('Entry 1 still has its bytes, but entry 45 records');
    });

    test('does not verify when the entries read before the drop differ from the first checkpoint', async () => {
      const read = dropping(1);
      const forked: ReadPage = async (after) =>
        after === 0 ? { ...(await read(0)), checkpoint: checkpointOf(logOf(44), signer) } : read(after);
      expect((await live(forked)).findings[0]).toContain(
        'that the checkpoint that the reading began with covers: the log was rewritten there',
      );
    });
  });
});
