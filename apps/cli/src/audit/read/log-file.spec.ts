import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, dropRecord, entryOf, linesOfLog, logOf, newSigner, without } from '../log.fixture.js';
import { describeVerdict } from '../verify/verdict.js';
import { fileLines, LiveLog, verifyLive, type ReadPage } from './live-log.js';
import { readCheckpoints, verifyFile, writeLog } from './log-file.js';

const signer = newSigner();
const entries = logOf(44);
const note = checkpointOf(entries, signer);
const whole = linesOfLog(entries, note).map((line) => JSON.stringify(line));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const verify = (lines: readonly string[], end = '\n') => {
  const file = join(folder, 'log.ndjson');
  writeFileSync(file, lines.join('\n') + end);
  return verifyFile(file, [signer.key], []);
};

test('a file as it was written, with or without its last newline', async () => {
  expect(describeVerdict(await verify(whole))).toBe(
    'Verified: 44 entries of id.example/o/acme/audit, to the last one that is signed.',
  );
  expect((await verify(whole, '')).verified).toBe(true);
});

describe('a file from before exports said in which class and month an entry lies', () => {
  const older = (given: readonly ExportedAuditEntry[], checkpoint = note) =>
    linesOfLog(given, checkpoint).map((line) =>
      JSON.stringify({ ...line, class: undefined, month: undefined, lateMs: undefined }),
    );

  test('still verifies, and what it does not hold is said', async () => {
    const verdict = await verify(older(entries));
    expect(verdict).toMatchObject({ verified: true, entries: 44 });
    expect(describeVerdict(verdict)).toContain('This export does not hold in which class and month entries lie');
  });

  test('does not show which entries may be gone, whatever it records of them', async () => {
    const { seq, leafHash } = entries[16]!;
    const record = entryOf(45, {
      action: 'audit.drop',
      targets: [{ type: 'organization', id: 'acme' }],
      changes: { retention: { to: 'changes' }, month: { to: '2025-09' }, entries: { to: 1 } },
    });
    const log = [...entries.with(16, { seq, leafHash }), record];
    await expect(verify(older(log, checkpointOf(log, signer)))).rejects.toThrow(
      '1 entry comes without bytes, the first at place 17, and this export is from before exports said in which class',
    );
  });
});

test.each<[string, (lines: string[]) => string[], string]>([
  ['cut off', (lines) => lines.slice(0, 30), 'The file ends behind entry 29 without its last line: it was cut off.'],
  [
    'cut off within a line',
    (lines) => [...lines.slice(0, 30), lines[30]!.slice(0, 100)],
    'Line 31 is damaged: it is not an entry.',
  ],
  [
    'shortened, with its last line',
    (lines) => [...lines.slice(0, 40), lines.at(-1)!],
    'The file has 39 entries up to 39, and its last line says 44 up to 44.',
  ],
  ['with a line too many', (lines) => [...lines, lines[1]!], 'Line 47 is damaged'],
  ['with a line that is not JSON', (lines) => lines.with(17, 'x'), 'Line 18 is damaged'],
  ['with a line that is no entry', (lines) => lines.with(17, '[]'), 'Line 18 is damaged'],
  ['without a line', (lines) => lines.toSpliced(17, 1), 'Entry 17 is missing'],
  [
    'with a last line that names no checkpoint',
    (lines) => lines.with(-1, '{"type":"end","count":44,"lastSeq":44}'),
    'The file ends behind entry 44 without its last line',
  ],
])('a file %s', async (_, change, sentence) => {
  const { verified, findings } = await verify(change(whole));
  expect(verified).toBe(false);
  expect(findings[0]).toContain(sentence);
});

test.each<[string, string[], string]>([
  ['nothing', [], 'is not an exported log'],
  ['something else', ['{"a":1}'], 'is not an exported log'],
  ['another version', ['{"type":"holdfast-audit-log","version":2}'], 'version 2, and this command reads version 1'],
  [
    'another log',
    ['{"type":"holdfast-audit-log","version":1,"origin":"id.example/o/globex/audit"}'],
    'is the log id.example/o/globex/audit, and the pinned key is that of id.example/o/acme/audit',
  ],
])('of a file with %s nothing is known', async (_, lines, sentence) => {
  await expect(verify(lines)).rejects.toThrow(sentence);
});

describe('checkpoints that were kept', () => {
  const write = (text: string) => {
    const file = join(folder, 'kept.checkpoint');
    writeFileSync(file, text);
    return file;
  };

  test('are read, of this log and signed by a pinned key alone', async () => {
    const file = write(note);
    expect(await readCheckpoints([file], [signer.key])).toMatchObject([{ name: file, checkpoint: { size: 44 } }]);
    await expect(readCheckpoints([write(checkpointOf(entries, newSigner()))], [signer.key])).rejects.toThrow(
      'is of no use. No key that is trusted has signed it.',
    );
    await expect(readCheckpoints([write('x')], [signer.key])).rejects.toThrow('is of no use. It is not a signed note');
    await expect(readCheckpoints([join(folder, 'none')], [signer.key])).rejects.toThrow('cannot be read');
  });
});

describe('a live log', () => {
  /** A log that gets an entry with every page that is read of it. */
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

  test.each([1, 7, 44, 100])('is read as it was when the reading began, %s at a time', async (pageSize) => {
    const seen: number[] = [];
    const log = await LiveLog.open(growing(pageSize), (done) => seen.push(done));
    expect(await verifyLive(log, [signer.key], [])).toMatchObject({ verified: true, entries: 44 });
    expect(seen.at(-1)).toBe(44);
  });

  const broken = { detail: 'what was there has been changed', since: '2026-11-21T09:30:10.000Z', unsigned: 3 };
  const sentence =
    'The log cannot be signed any more since 2026-11-21T09:30:10.000Z, because what was there has been changed. 3 entries stand behind the newest checkpoint: nobody has signed them.';

  test('that cannot be signed any more does not verify, live or from a file, though what was signed is as it was', async () => {
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

  test('of which no checkpoint is left does not verify', async () => {
    const read: ReadPage = () => Promise.resolve({ entries: [], checkpoint: '', hasMore: false, broken });
    expect((await verifyLive(await LiveLog.open(read, () => undefined), [signer.key], [])).findings[0]).toContain(
      'cannot be signed any more',
    );
  });

  test('that has fewer entries than it says does not verify, and does not hang', async () => {
    const short: ReadPage = (after) =>
      Promise.resolve({ entries: entries.slice(after, 40), checkpoint: note, hasMore: true, lateMs: 0 });
    expect((await verifyLive(await LiveLog.open(short, () => undefined), [signer.key], [])).findings).toEqual([
      'The log ends at 40, but the newest checkpoint covers 44: at least 4 entries are gone.',
    ]);
  });

  test('shows what somebody put behind its end', async () => {
    const stray: ReadPage = () =>
      Promise.resolve({ entries: [...entries, { ...entries[3]!, seq: 49 }], checkpoint: note, hasMore: false });
    expect((await verifyLive(await LiveLog.open(stray, () => undefined), [signer.key], [])).findings).toContain(
      'Entries 45 to 48 are missing: behind 44 comes 49.',
    );
  });

  test('is written as a file that verifies, that others cannot read, or not at all', async () => {
    const file = join(folder, 'exported.ndjson');
    await writeLog(file, fileLines(await LiveLog.open(growing(7), () => undefined)));
    expect(await verifyFile(file, [signer.key], [])).toMatchObject({ verified: true, entries: 44 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!)).toMatchObject({
      type: 'end',
      count: 44,
      lastSeq: 44,
    });
    const failing: ReadPage = (after) => (after === 0 ? growing(7)(0) : Promise.reject(new Error('audit is away')));
    const other = join(folder, 'other.ndjson');
    await expect(LiveLog.open(failing, () => undefined).then((log) => writeLog(other, fileLines(log)))).rejects.toThrow(
      'audit is away',
    );
    expect(() => statSync(other)).toThrow('ENOENT');
    expect(() => statSync(`${other}.part`)).toThrow('ENOENT');
  });

  describe('from which a month is dropped while it is read', () => {
    const places = [1, 2, 4, 5, 6];
    const old = Array.from({ length: 6 }, (_, i) =>
      entryOf(i + 1, {
        action: i === 2 ? 'subject.read' : 'offer.create',
        occurredAt: `2025-09-0${i + 1}T00:00:00.000Z`,
      }),
    );
    const whole = [...old, ...entries.slice(6)];
    /**
     * Two entries a page. The drop happens when `read` pages were read, and `record` gets its place some pages later.
     */
    const dropping = (
      read: number,
      {
        gone = places,
        record = dropRecord(45, places),
        later = 1,
      }: { gone?: number[]; record?: ExportedAuditEntry | undefined; later?: number } = {},
    ): ReadPage => {
      const log = [...whole];
      let pages = 0;
      return (after) => {
        if (pages === read) for (const seq of gone) log[seq - 1] = without(log[seq - 1]!);
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
    const opened = (read: ReadPage, withinMs: number) =>
      LiveLog.open(read, () => undefined, { withinMs, intervalMs: 1 });
    const live = async (read: ReadPage, withinMs = 10_000) =>
      verifyLive(await opened(read, withinMs), [signer.key], []);
    const exported = async (read: ReadPage) => {
      const file = join(folder, 'dropped.ndjson');
      await writeLog(file, fileLines(await opened(read, 10_000)));
      return verifyFile(file, [signer.key], []);
    };
    const says = (readBefore: number) =>
      `Entry 45 records that 5 entries of class changes and month 2025-09 were dropped while the log was read; of these, ${readBefore} were read before.`;

    // Page 3 has the last of them; the log has 22 pages.
    test.each([
      [0, 0],
      [1, 2],
      [2, 3],
    ])(
      'when %s pages were read, it verifies up to the record of the drop and says so, live and from an exported file',
      async (read, readBefore) => {
        for (const later of [1, 22 - read, 30 - read]) {
          for (const verified of [live, exported]) {
            expect(await verified(dropping(read, { later }))).toMatchObject({
              verified: true,
              findings: [],
              entries: 45,
              dropped: 5 - readBefore,
              notes: [says(readBefore)],
            });
          }
        }
      },
    );

    test('does not verify when other entries are gone than its record names, or more, or fewer', async () => {
      const other = dropRecord(45, [1, 2, 4, 5, 7]);
      const sentences = async (given: Parameters<typeof dropping>[1]) => (await live(dropping(1, given), 500)).findings;
      expect(await sentences({ record: other })).toEqual([
        'Entry 45 records that 5 of class changes and month 2025-09 were dropped, but 3, from place 4 to 6, come without bytes.',
      ]);
      expect(await sentences({ record: dropRecord(45, [1, 2, 4, 5]) })).toHaveLength(1);
      expect(await sentences({ gone: [...places, 3] })).toEqual([
        '1 entry of class reads and month 2025-09 comes without bytes, the first at place 3, but the log does not record that they were dropped: gone without a record.',
      ]);
      expect(await sentences({ gone: [1, 2, 4, 5] })).toEqual([
        expect.stringContaining('Entry 6 still has its bytes, but entry 45 records'),
        expect.stringContaining('Entry 45 records that 5'),
      ]);
    });

    test('does not verify when nothing records it, or when the drop is recorded in what there was when the reading began', async () => {
      const pretended = dropping(1);
      const early = [...whole, dropRecord(45, places)];
      const before: ReadPage = (after) =>
        Promise.resolve({
          entries: early.slice(after, after + 2),
          checkpoint: checkpointOf(early, signer),
          hasMore: after + 2 < early.length,
          lateMs: 0,
        });
      const unrecorded: ReadPage = async (after) => {
        const { entries: page, ...rest } = await pretended(after);
        return {
          ...rest,
          entries: page.filter(({ seq }) => seq <= 44),
          checkpoint: checkpointOf(whole, signer),
          hasMore: after + 2 < 44,
        };
      };
      expect((await live(unrecorded, 500)).findings).toEqual([
        '3 entries of class changes and month 2025-09 come without bytes, the first at place 4, but the log does not record that they were dropped: gone without a record.',
      ]);
      expect((await live(before)).findings[0]).toContain('Entry 1 still has its bytes, but entry 45 records');
    });

    test('does not verify when what was read before the drop is not what its checkpoint was signed for', async () => {
      const read = dropping(1);
      const forked: ReadPage = async (after) =>
        after === 0 ? { ...(await read(0)), checkpoint: checkpointOf(logOf(44), signer) } : read(after);
      expect((await live(forked)).findings[0]).toContain(
        'that the checkpoint that the reading began with was signed for: the log was rewritten there',
      );
    });
  });
});
