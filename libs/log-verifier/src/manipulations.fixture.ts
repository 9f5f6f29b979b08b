import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { RandomSequence } from '@holdfast/testing';
import { checkpointOf, newSigner } from '@holdfast/testing/exported-log';
import { leafHash } from '@holdfast/tlog';
import type { LogEnd } from './exported-log.js';
import { edits, meaningOf, of, withEditedObject } from './json-edits.fixture.js';

/** What a log is verified with: texts, as in the test vectors. */
export interface Given {
  keys: string[];
  checkpoint?: string;
  witnesses?: string[];
  quorum?: number;
}

export interface Manipulated {
  kind: string;
  bytes: Buffer;
  given: Given;
  /** It says something else than the log does, so it must not verify. */
  isHarmful: boolean;
}

/** A log that verifies, and a key among those that it is verified with. */
export interface Sample {
  lines: string[];
  given: Given;
  signer: ReturnType<typeof newSigner>;
}

type Manipulation = (sample: Sample, random: RandomSequence) => Omit<Manipulated, 'kind'>;

const entryAt = (lines: readonly string[], at: number) => JSON.parse(lines[at]!) as ExportedAuditEntry;
const bytesOf = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));
const seqsOf = ({ lines }: Sample) => lines.length - 2;
const leafOf = ({ leaf = '' }: ExportedAuditEntry) => Buffer.from(leaf, 'base64').toString();

/** The place of a random entry that has this property, of which the log has one at least. */
function placeOf({ lines }: Sample, random: RandomSequence, has: (entry: ExportedAuditEntry) => boolean): number {
  const places = lines.slice(1, -1).flatMap((line, i) => (has(JSON.parse(line) as ExportedAuditEntry) ? [i + 1] : []));
  return of(places, random);
}

const withLine = (lines: readonly string[], at: number, line: unknown) =>
  lines.with(at, typeof line === 'string' ? line : JSON.stringify(line));

function ofBytes(sample: Sample, bytes: Buffer): Omit<Manipulated, 'kind'> {
  return { bytes, given: sample.given, isHarmful: meaningOf(bytes) !== meaningOf(bytesOf(sample.lines)) };
}
const ofLines = (sample: Sample, lines: readonly string[]) => ofBytes(sample, bytesOf(lines));
/** Whether this verifies depends on more than what it says. */
const perhaps = (sample: Sample, lines: readonly string[], given = sample.given) => ({
  bytes: bytesOf(lines),
  given,
  isHarmful: false,
});
const harmful = (sample: Sample, lines: readonly string[], given = sample.given) => ({
  ...perhaps(sample, lines, given),
  isHarmful: true,
});

/** The last line with a checkpoint over these entries, as by somebody who has the key. */
function signed(sample: Sample, lines: readonly string[], change: Partial<LogEnd> = {}): string[] {
  const entries = lines.slice(1, -1).map((line) => JSON.parse(line) as ExportedAuditEntry);
  const end = JSON.parse(lines.at(-1)!) as LogEnd;
  return withLine(lines, lines.length - 1, { ...end, checkpoint: checkpointOf(entries, sample.signer), ...change });
}

/** An entry with other bytes and their hash, in a log that is signed again. */
function withLeaf(sample: Sample, at: number, leaf: string | Buffer, found: object | undefined = undefined): string[] {
  const bytes = Buffer.from(leaf);
  const entry = entryAt(sample.lines, at);
  const hash = leafHash(bytes).toString('base64');
  return signed(
    sample,
    withLine(sample.lines, at, {
      ...entry,
      leaf: bytes.toString('base64'),
      leafHash: hash,
      ...(found && { found: { ...entry.found, ...found } }),
    }),
  );
}

type Shown = { value: string; salt: string };

/** Moves the first bytes of the value to the end of the salt, or the other way round: the hash stays the same. */
function movedBytes<S extends Shown>(shown: S, random: RandomSequence): S {
  const [salt, value] = [Buffer.from(shown.salt, 'base64'), Buffer.from(shown.value)];
  const all = Buffer.concat([salt, value]);
  const at = random(2) === 0 ? salt.length + 1 + random(Math.max(1, value.length - 1)) : random(salt.length);
  return { ...shown, salt: all.subarray(0, at).toString('base64'), value: all.subarray(at).toString() };
}

const hasPersonal = ({ personal }: ExportedAuditEntry) => Object.keys(personal ?? {}).length > 0;
const hasNames = ({ names = [] }: ExportedAuditEntry) => names.length > 0;
const hasLeaf = ({ leaf }: ExportedAuditEntry) => leaf !== undefined;

function withPersonal(sample: Sample, random: RandomSequence, change: (shown: Shown) => Shown | undefined): string[] {
  const at = placeOf(sample, random, hasPersonal);
  const entry = entryAt(sample.lines, at);
  const field = of(Object.keys(entry.personal!), random);
  return withLine(sample.lines, at, {
    ...entry,
    personal: { ...entry.personal, [field]: change(entry.personal![field]!) },
  });
}

type Name = NonNullable<ExportedAuditEntry['names']>[number];

function withName(sample: Sample, random: RandomSequence, change: (name: Name) => Name): string[] {
  const at = placeOf(sample, random, hasNames);
  const entry = entryAt(sample.lines, at);
  const index = random(entry.names!.length);
  return withLine(sample.lines, at, { ...entry, names: entry.names!.with(index, change(entry.names![index]!)) });
}

function monthLater(month: string, by: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** A checkpoint of the log when it had this many entries. */
const checkpointAt = (sample: Sample, size: number, signer = sample.signer) =>
  checkpointOf(
    sample.lines.slice(1, 1 + size).map((line) => JSON.parse(line) as ExportedAuditEntry),
    signer,
  );
const withEnd = (sample: Sample, change: object, lines = sample.lines) =>
  withLine(lines, lines.length - 1, { ...(JSON.parse(lines.at(-1)!) as object), ...change });
const isDropped = (entry: ExportedAuditEntry) => !hasLeaf(entry);

function withFlippedByte(bytes: Buffer, random: RandomSequence): Buffer {
  const changed = Buffer.from(bytes);
  changed[random(bytes.length)]! ^= 1 << random(8);
  return changed;
}

const manipulations: Record<string, Manipulation> = {
  nothing: (sample) => perhaps(sample, sample.lines),
  'a flipped bit': (sample, random) => ofBytes(sample, withFlippedByte(bytesOf(sample.lines), random)),
  'a byte removed, inserted or exchanged': (sample, random) => {
    const bytes = bytesOf(sample.lines);
    const at = random(bytes.length);
    const put = Buffer.from(of(['', '"', ',', '}', '0', ' ', '\n', '\r', '\\', '\u2028', '\ufeff'], random));
    return ofBytes(sample, Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + random(2))]));
  },
  'a flipped bit in the first or last line': (sample, random) => {
    const at = random(2) === 0 ? 0 : sample.lines.length - 1;
    const line = withFlippedByte(Buffer.from(sample.lines[at]!), random);
    const [before, after] = [sample.lines.slice(0, at), sample.lines.slice(at + 1)].map(bytesOf) as [Buffer, Buffer];
    return ofBytes(sample, Buffer.concat([before, line, Buffer.from('\n'), after]));
  },
  'cut off': (sample, random) => {
    const bytes = bytesOf(sample.lines);
    return ofBytes(sample, bytes.subarray(0, random(bytes.length)));
  },
  'bytes moved between salt and value': (sample, random) =>
    harmful(
      sample,
      withPersonal(sample, random, (shown) => movedBytes(shown, random)),
    ),
  'bytes moved between salt and id': (sample, random) =>
    harmful(
      sample,
      withName(sample, random, (name) => movedBytes(name, random)),
    ),
  'another salt': (sample, random) => {
    const bytes = Array.from({ length: of([16, 15, 0], random) }, () => random(256));
    const salt = Buffer.from(bytes).toString('base64');
    const changed = random(2) === 0 ? withPersonal(sample, random, (shown) => ({ ...shown, salt })) : undefined;
    return harmful(sample, changed ?? withName(sample, random, (name) => ({ ...name, salt })));
  },
  'another value': (sample, random) => {
    const value = of(['fraud', '', '\ud800', '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10'], random);
    const changed = random(2) === 0 ? withPersonal(sample, random, (shown) => ({ ...shown, value })) : undefined;
    return harmful(sample, changed ?? withName(sample, random, (name) => ({ ...name, value })));
  },
  'a mapping of another entry': (sample, random) => {
    const from = entryAt(sample.lines, placeOf(sample, random, hasNames));
    const lines = withName(sample, random, (name) => ({ ...of(from.names!, random), pseudonym: name.pseudonym }));
    return ofLines(sample, lines);
  },
  'a mapping twice': (sample, random) => {
    const at = placeOf(sample, random, hasNames);
    const entry = entryAt(sample.lines, at);
    return ofLines(
      sample,
      withLine(sample.lines, at, { ...entry, names: [...entry.names!, of(entry.names!, random)] }),
    );
  },
  'mappings or personal values removed': (sample, random) => {
    const at = placeOf(sample, random, hasNames);
    const entry = entryAt(sample.lines, at);
    const change = of(
      [{ names: entry.names!.slice(1) }, { names: [] }, { personal: {} }, { names: [], personal: {} }],
      random,
    );
    return perhaps(sample, withLine(sample.lines, at, { ...entry, ...change }));
  },
  'the values of a person with a mapping removed': (sample, random) => {
    const at = placeOf(
      sample,
      random,
      (e) => hasPersonal(e) && e.names?.some((n) => n.pseudonym === e.found!.actor) === true,
    );
    const entry = entryAt(sample.lines, at);
    const field = of(Object.keys(entry.personal!), random);
    return harmful(
      sample,
      withLine(sample.lines, at, { ...entry, personal: { ...entry.personal, [field]: undefined } }),
    );
  },
  'the mapping of an actor removed': (sample, random) => {
    const at = placeOf(sample, random, (e) => e.names?.some((n) => n.pseudonym === e.found!.actor) === true);
    const entry = entryAt(sample.lines, at);
    const names = entry.names!.filter(({ pseudonym }) => pseudonym !== entry.found!.actor);
    return harmful(sample, withLine(sample.lines, at, { ...entry, names, personal: {} }));
  },
  'a line removed': (sample, random) => harmful(sample, sample.lines.toSpliced(random(sample.lines.length), 1)),
  'a line twice': (sample, random) => {
    const line = of(sample.lines, random);
    return harmful(sample, sample.lines.toSpliced(random(sample.lines.length + 1), 0, line));
  },
  'two lines exchanged': (sample, random) => {
    const [a, b] = [random(sample.lines.length), random(sample.lines.length)];
    return ofLines(sample, sample.lines.with(a, sample.lines[b]!).with(b, sample.lines[a]!));
  },
  'two entries exchanged, with their seq': (sample, random) => {
    const [a, b] = [1 + random(seqsOf(sample)), 1 + random(seqsOf(sample))];
    const moved = (from: number, to: number) => ({ ...entryAt(sample.lines, from), seq: to });
    return ofLines(sample, withLine(withLine(sample.lines, a, moved(b, a)), b, moved(a, b)));
  },
  'another seq': (sample, random) => {
    const at = 1 + random(seqsOf(sample));
    const seq = of([0, -1, 1.5, at + 1, 2 ** 53, String(at)], random);
    return harmful(sample, withLine(sample.lines, at, { ...entryAt(sample.lines, at), seq }));
  },
  ...Object.fromEntries(
    Object.entries(edits).map(([name, edit]): [string, Manipulation] => [
      `${name} in a line`,
      (sample, random) => {
        const at = random(4) === 0 ? of([0, sample.lines.length - 1], random) : random(sample.lines.length);
        const line = withEditedObject(sample.lines[at]!, random, (object) => edit(object, random));
        const lines = sample.lines.with(at, line);
        // Mappings and values of nobody who is known may be missing.
        const isRemoving = name === 'a member without its value' || name === 'a member of another form';
        const isPerhaps = isRemoving && at > 0 && /"(names|personal)"/.test(sample.lines[at]!);
        return isPerhaps ? perhaps(sample, lines) : ofLines(sample, lines);
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(edits).map(([name, edit]): [string, Manipulation] => [
      `${name} in bytes that are signed`,
      (sample, random) => {
        const at = placeOf(sample, random, hasLeaf);
        const leaf = withEditedObject(leafOf(entryAt(sample.lines, at)), random, (object) => edit(object, random));
        return perhaps(sample, withLeaf(sample, at, leaf));
      },
    ]),
  ),
  'other bytes that are signed': (sample, random) => {
    const at = placeOf(sample, random, hasLeaf);
    const leaf = of(
      [
        Buffer.from(of(['', '{}', 'null', '[]', '{"id":', '\ufeff{}', `${'['.repeat(70)}${']'.repeat(70)}`], random)),
        withFlippedByte(Buffer.from(leafOf(entryAt(sample.lines, at))), random),
      ],
      random,
    );
    return perhaps(sample, withLeaf(sample, at, leaf));
  },
  'another time in bytes that are signed': (sample, random) => {
    const at = placeOf(sample, random, hasLeaf);
    const entry = entryAt(sample.lines, at);
    const { occurredAt } = entry.found!;
    const later = new Date(Date.parse(occurredAt) + of([-1, 1], random) * 10 ** (3 + random(8))).toISOString();
    const time = of(
      ['2026-02-30T00:00:00.000Z', '2026-11-21T24:00:00.000Z', '9999-12-31T23:59:59.999Z', '', later],
      random,
    );
    return perhaps(sample, withLeaf(sample, at, leafOf(entry).replace(occurredAt, time), { occurredAt: time }));
  },
  'another outcome of a drop or an erasure': (sample, random) => {
    const accounting = ['audit.drop', 'subject.erase', 'user.remove'];
    const at = placeOf(sample, random, (e) => accounting.includes(e.found?.action ?? ''));
    const outcome = of(['denied', 'failure'], random);
    const leaf = leafOf(entryAt(sample.lines, at)).replace('"result":"success"', `"result":"${outcome}"`);
    return perhaps(sample, withLeaf(sample, at, leaf, { outcome }));
  },
  'another drop in bytes that are signed': (sample, random) => {
    const at = placeOf(sample, random, (e) => e.found?.action === 'audit.drop');
    const record = JSON.parse(leafOf(entryAt(sample.lines, at))) as { changes: object };
    const text = JSON.stringify(record.changes);
    const edit = of(Object.values(edits), random);
    const changes = of(
      [
        withEditedObject(text, random, (object) => edit(object, random)),
        text.replace(/"entries":\{"to":(\d+)\}/, (_, n: string) => `"entries":{"to":${Number(n) - 1 + random(3)}}`),
        text.replace(/,"places":.*\}$/, '}'),
        text.replace(/"first":\d+/, '"first":2'),
        text.replace('"to":"reads"', '"to":"kept"'),
      ],
      random,
    );
    const marker = 'the changes';
    const leaf = JSON.stringify({ ...record, changes: marker }).replace(JSON.stringify(marker), () => changes);
    return perhaps(sample, withLeaf(sample, at, leaf));
  },
  'a later month from an entry on': (sample, random) => {
    const from = placeOf(sample, random, hasLeaf);
    const by = 1 + random(14);
    const lines = sample.lines.map((line, at) => {
      if (at < from || at === sample.lines.length - 1) return line;
      const entry = JSON.parse(line) as ExportedAuditEntry;
      return JSON.stringify({ ...entry, month: monthLater(entry.month!, by) });
    });
    return harmful(sample, lines);
  },
  'another month or class': (sample, random) => {
    const at = 1 + random(seqsOf(sample));
    const entry = entryAt(sample.lines, at);
    const month = of(
      [monthLater(entry.month!, -1), monthLater(entry.month!, 1), '2026-13', '0000-01', '1969-12'],
      random,
    );
    const change = of([{ month }, { class: of(['reads', 'changes', 'kept', 'x'], random) }], random);
    return ofLines(sample, withLine(sample.lines, at, { ...entry, ...change }));
  },
  'another lastAt or lateMs': (sample, random) => {
    const time = of(
      ['9999-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '2026-02-30T00:00:00.000Z', '2026'],
      random,
    );
    const at = random(2) === 0 ? 256 : 1 + random(seqsOf(sample));
    const late = withEnd(sample, { lateMs: of([0, 1, 10 ** 12, -1, 0.5], random) });
    return perhaps(
      sample,
      random(2) === 0 ? late : withLine(sample.lines, at, { ...entryAt(sample.lines, at), lastAt: time }),
    );
  },
  'without the columns of newer exports': (sample) => {
    const lines = sample.lines.map((line) => {
      const {
        class: _,
        month: __,
        lastAt: ___,
        lateMs: ____,
        ...rest
      } = JSON.parse(line) as ExportedAuditEntry & LogEnd;
      return JSON.stringify(rest);
    });
    return perhaps(sample, lines);
  },
  'bytes removed': (sample, random) => {
    const at = placeOf(sample, random, hasLeaf);
    const { seq, leafHash: hash, class: name, month, lastAt } = entryAt(sample.lines, at);
    return harmful(sample, withLine(sample.lines, at, { seq, leafHash: hash, class: name, month, lastAt }));
  },
  'a dropped entry with other members': (sample, random) => {
    const at = placeOf(sample, random, isDropped);
    const { found } = entryAt(sample.lines, placeOf(sample, random, hasLeaf));
    const change = of([{ found }, { names: [] }, { personal: {} }, { leaf: '' }], random);
    return harmful(sample, withLine(sample.lines, at, { ...entryAt(sample.lines, at), ...change }));
  },
  'began at another size': (sample, random) =>
    perhaps(sample, withEnd(sample, { began: random(sample.lines.length + 1) })),
  'an older checkpoint': (sample, random) =>
    harmful(sample, withEnd(sample, { checkpoint: checkpointAt(sample, random(seqsOf(sample))) })),
  'an older checkpoint, and fewer entries in the last line': (sample, random) => {
    const size = random(seqsOf(sample));
    return harmful(sample, withEnd(sample, { checkpoint: checkpointAt(sample, size), count: size, lastSeq: size }));
  },
  'entries behind the checkpoint': (sample, random) => {
    const count = seqsOf(sample);
    const copy = entryAt(sample.lines, placeOf(sample, random, hasLeaf));
    const more = Array.from({ length: 1 + random(3) }, (_, i) =>
      JSON.stringify({ ...copy, seq: count + 1 + i, lastAt: undefined }),
    );
    const lines = sample.lines.toSpliced(-1, 0, ...more);
    const last = count + more.length;
    return harmful(sample, random(2) === 0 ? lines : withEnd(sample, { count: last, lastSeq: last }, lines));
  },
  'the checkpoint of another signer': (sample, random) => {
    const other = newSigner(of([sample.signer.key.name, 'id.example/o/globex/audit'], random));
    return harmful(sample, withEnd(sample, { checkpoint: checkpointAt(sample, seqsOf(sample), other) }));
  },
  'signatures of several signers': (sample, random) => {
    const lineOf = (note: string) => note.slice(note.lastIndexOf('\n\n') + 2);
    const size = seqsOf(sample);
    const good = checkpointAt(sample, size);
    const unknown = lineOf(checkpointAt(sample, size, newSigner(sample.signer.key.name)));
    // Its own signature, of another text: no reason to ignore it.
    const wrong = lineOf(checkpointAt(sample, size - 1));
    const more = of(
      [unknown, wrong, good.split('\n').at(-2)! + '\n', 'x\n', '\n', `— x\u0085y ${unknown.split(' ')[2]}`],
      random,
    );
    const checkpoint = of([good + more, good.replace('\n\n', `\n\n${more}`)], random);
    return random(2) === 0
      ? perhaps(sample, withEnd(sample, { checkpoint }))
      : perhaps(sample, signed(sample, sample.lines), { ...sample.given, checkpoint });
  },
  'a changed checkpoint': (sample, random) => {
    const note = checkpointAt(sample, seqsOf(sample));
    const at = random(note.length);
    const put = of(['', ' ', '\n', 'A', '0', '\u00a0', '\t'], random);
    const checkpoint = note.slice(0, at) + put + note.slice(at + random(2));
    return perhaps(sample, withEnd(sample, { checkpoint }));
  },
  'a kept checkpoint': (sample, random) => {
    const size = random(seqsOf(sample) + 1);
    const other = { ...sample, lines: sample.lines.with(1 + random(seqsOf(sample)), sample.lines[1]!) };
    const checkpoint = of(
      [
        checkpointAt(sample, size),
        checkpointAt(other, size),
        checkpointAt(sample, size).replace('\n\n', '\n'),
        '',
        'x',
      ],
      random,
    );
    return perhaps(sample, sample.lines, { ...sample.given, checkpoint });
  },
  'a kept checkpoint of a longer log': (sample, random) => {
    const size = seqsOf(sample);
    const checkpoint = checkpointAt(sample, size);
    const fewer = 1 + random(3);
    const end = { count: size - fewer, lastSeq: size - fewer };
    const lines = signed(sample, sample.lines.toSpliced(-1 - fewer, fewer), end);
    return harmful(sample, lines, { ...sample.given, checkpoint });
  },
  'other keys': (sample, random) => {
    const [first = '', ...rest] = sample.given.keys;
    const at = random(first.length);
    const key = of(
      [first.slice(0, at) + first.slice(at + 1), first.replace(/\+\w{8}\+/, '+00000000+'), '', 'x'],
      random,
    );
    const other = newSigner('id.example/o/globex/audit').key;
    const keys = of([[], [key], [...rest, key], [first, `${other.name}+${other.keyId}+AAAA`]], random);
    return perhaps(sample, sample.lines, { ...sample.given, keys });
  },
};

export const kinds = Object.keys(manipulations);

/** A manipulation of this kind. */
export function manipulated(kind: string, sample: Sample, random: RandomSequence): Manipulated {
  return { kind, ...manipulations[kind]!(sample, random) };
}
