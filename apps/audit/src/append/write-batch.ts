import { statement } from '@holdfast/data';
import type { EncryptionKeys } from '../privacy/key-encryption.js';
import { nobody, personKeyContext } from '../privacy/personal-data.js';
import type { Arranged } from './plan.js';
import type { Item } from './select.js';

/** Columns of a table and their types, for rows that are written as one array per column. */
interface Columns<Row> {
  table: string;
  types: string[];
  /** Statement before the rows; gets `rows`, the SELECT of them. */
  write: (rows: string) => string;
  values: (row: Row) => unknown[];
}

type Entry = Arranged['entries'][number];
type HeadRow = { org: string } & (Arranged['heads'] extends Map<string, infer H> ? H : never);
type TargetRow = Pick<Entry, 'org' | 'seq' | 'class' | 'month'> & { target: string };
type OrgAnd<Value> = { org: string } & Value;

const ms = (time: number): Date => new Date(time);
const insert = (into: string) => (rows: string) => `INSERT INTO ${into} ${rows}`;

const entries: Columns<Entry> = {
  table: 'entries',
  types: ['text', 'bigint', 'text', 'int', 'timestamptz', 'text', 'text', 'text', 'uuid', 'bytea', 'bytea'],
  write: insert('entry (org, seq, class, month, occurred_at, action, actor_id, outcome, person, personal, leaf)'),
  values: (e) => [
    e.org,
    e.seq,
    e.class,
    e.month,
    e.record.occurredAt,
    e.record.action,
    e.leaf.actorId,
    e.record.outcome.result,
    e.personal?.person ?? null,
    e.personal?.sealed ?? null,
    e.leaf.bytes,
  ],
};
const places: Columns<Entry> = {
  table: 'places',
  types: ['text', 'bigint', 'uuid', 'text', 'int', 'boolean', 'bytea'],
  write: insert('place (org, seq, id, class, month, from_provisional, leaf_hash)'),
  values: (e) => [e.org, e.seq, e.record.id, e.class, e.month, e.provisional, e.leafHash],
};
const targets: Columns<TargetRow> = {
  table: 'targets',
  types: ['text', 'text', 'bigint', 'text', 'int'],
  write: insert('entry_target (org, target, seq, class, month)'),
  values: (t) => [t.org, t.target, t.seq, t.class, t.month],
};
const heads: Columns<HeadRow> = {
  table: 'raised',
  types: ['text', 'bigint', 'bytea', 'int', 'timestamptz', 'bigint'],
  write: (rows) =>
    `UPDATE head SET seq = h.seq, range = h.range, month = h.month, latest = h.latest, late_ms = h.late_ms FROM (${rows}) AS h(org, seq, range, month, latest, late_ms) WHERE head.org = h.org`,
  values: (h) => [h.org, h.seq, h.range, h.month, ms(h.latest), h.lateMs],
};
const subtrees: Columns<Arranged['subtrees'][number]> = {
  table: 'grown',
  types: ['text', 'smallint', 'bigint', 'bytea', 'timestamptz'],
  write: insert('subtree (org, level, index, hash, last_at)'),
  values: (s) => [s.org, s.level, s.index, s.hash, ms(s.lastAt)],
};
const named: Columns<Arranged['named'][number]> = {
  table: 'named',
  types: ['text', 'text', 'text', 'text', 'bytea'],
  write: insert('pseudonym (org, value, data_subject, pseudonym, salt)'),
  values: (n) => [n.org, n.value, n.dataSubject, n.pseudonym, n.salt],
};
const persons: Columns<OrgAnd<{ dataSubject: string; person: string; sealed: Buffer; keyId: Buffer }>> = {
  table: 'persons',
  types: ['text', 'text', 'uuid', 'bytea', 'bytea'],
  write: insert('person_key (org, data_subject, person, key, key_id)'),
  values: (p) => [p.org, p.dataSubject, p.person, p.sealed, p.keyId],
};
/**
 * A guess that was given its place leaves the handler's record waiting, should that have been parked at the same time.
 */
const settled: Columns<OrgAnd<{ id: string; guess: boolean }>> = {
  table: 'settled',
  types: ['text', 'uuid', 'boolean'],
  write: (rows) =>
    `DELETE FROM provisional w USING (${rows}) AS s(org, id, guess) WHERE w.org = s.org AND w.id = s.id AND (w.guess OR NOT s.guess)`,
  values: (s) => [s.org, s.id, s.guess],
};
const erasing: Columns<OrgAnd<{ dataSubject: string }>> = {
  table: 'erasing',
  types: ['text', 'text'],
  write: (rows) => `SELECT * FROM (${rows}) AS e(org, data_subject)`,
  values: (e) => [e.org, e.dataSubject],
};

const parts = [entries, places, targets, heads, subtrees, named, persons, settled, erasing];

/**
 * The whole batch at once. An erased customer's names are hashed into `erased` as their pseudonyms lose their meaning,
 * and with the person's key goes what was personal, and with that of nobody what callers chose as ids of requests.
 * SELECT hides from the planner how long the arrays are: seeing few rows, it would find a plan made for them cheaper
 * than the one it keeps, and plan with every batch.
 */
export const writeBatch = statement(
  'entry_write',
  `WITH ${withRows()},
   unnamed AS (DELETE FROM pseudonym p USING erasing e WHERE p.org = e.org AND p.data_subject = e.data_subject RETURNING p.org, p.value),
   unsealed AS (DELETE FROM person_key k USING erasing e WHERE k.org = e.org AND (k.data_subject = e.data_subject OR k.data_subject = '${nobody}'))
   INSERT INTO erased (key)
   SELECT DISTINCT sha256(convert_to(org || '/' || value, 'UTF8')) FROM (SELECT org, value FROM unnamed UNION ALL SELECT org, data_subject FROM erasing) AS gone(org, value)
   ON CONFLICT DO NOTHING`,
);

function withRows(): string {
  let parameter = 0;
  return parts
    .map(
      ({ table, types, write }) =>
        `${table} AS (${write(`SELECT * FROM unnest(${types.map((type) => `(SELECT $${(parameter += 1)}::${type}[])`).join(', ')})`)})`,
    )
    .join(',\n   ');
}

/** The parameters of writeBatch. */
export function batchValues(
  { entries: e, heads: h, subtrees: s, named: n, persons: p }: Arranged,
  items: readonly Item[],
  keys: EncryptionKeys,
): unknown[] {
  return [
    ...columns(entries, e),
    ...columns(places, e),
    ...columns(
      targets,
      e.flatMap(({ org, seq, class: name, month, leaf }) =>
        leaf.targets.map((target) => ({ org, target, seq, class: name, month })),
      ),
    ),
    ...columns(
      heads,
      [...h].map(([org, head]) => ({ org, ...head })),
    ),
    ...columns(subtrees, s),
    ...columns(named, n),
    ...columns(
      persons,
      p.map(({ org, dataSubject, person }) => ({
        org,
        dataSubject,
        person: person.id,
        sealed: keys.seal(person.key, personKeyContext(org, person.id)),
        keyId: keys.id,
      })),
    ),
    // Whatever became of an item, its provisional twin is no longer waited for.
    ...columns(
      settled,
      items.flatMap(({ org, record, provisional = false }) =>
        record ? [{ org, id: record.id, guess: provisional }] : [],
      ),
    ),
    ...columns(
      erasing,
      items.flatMap(({ org, erases }) => (erases === undefined ? [] : [{ org, dataSubject: erases }])),
    ),
  ];
}

function columns<Row>({ types, values }: Columns<Row>, rows: Row[]): unknown[][] {
  const cells = rows.map(values);
  return types.map((_, column) => cells.map((row) => row[column]));
}
