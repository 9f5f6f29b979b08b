import { statement } from '@holdfast/data';
import type { KeyEncryption } from '@holdfast/platform';
import { personalDataKeyContext } from '../privacy/key-encryption.js';
import { unknownDataSubject } from '../privacy/personal-data.js';
import type { AppendItem, BatchPlan, Entry } from './plan.js';

/** Rows of the batch statement, which are passed as one array per column. */
interface Columns<Row> {
  /** Name of the common table expression. */
  table: string;
  types: string[];
  /** The SQL that writes the rows of the SELECT `rows`. */
  write: (rows: string) => string;
  values: (row: Row) => unknown[];
}

type HeadRow = { org: string } & (BatchPlan['heads'] extends Map<string, infer H> ? H : never);
type TargetRow = Pick<Entry, 'org' | 'seq' | 'class' | 'month'> & { target: string };
type OrgAnd<Value> = { org: string } & Value;

const insert = (into: string) => (rows: string) => `INSERT INTO ${into} ${rows}`;

const entryColumns =
  'org, seq, class, month, occurred_at, action, actor_id, outcome, personal_data_key_id, personal_data, leaf';
const entries: Columns<Entry> = {
  table: 'entries',
  types: ['text', 'bigint', 'text', 'int', 'timestamptz', 'text', 'text', 'text', 'uuid', 'bytea', 'bytea'],
  write: insert(`entry (${entryColumns})`),
  values: (e) => [
    e.org,
    e.seq,
    e.class,
    e.month,
    e.record.occurredAt,
    e.record.action,
    e.leaf.actorId,
    e.record.outcome.result,
    e.personalData?.keyId ?? null,
    e.personalData?.sealed ?? null,
    e.leaf.bytes,
  ],
};
const leaves: Columns<Entry> = {
  table: 'leaves',
  types: ['text', 'bigint', 'uuid', 'text', 'int', 'boolean', 'bytea'],
  write: insert('leaf (org, seq, id, class, month, from_provisional, leaf_hash)'),
  values: (e) => [e.org, e.seq, e.record.id, e.class, e.month, e.provisional, e.leafHash],
};
const targets: Columns<TargetRow> = {
  table: 'targets',
  types: ['text', 'text', 'bigint', 'text', 'int'],
  write: insert('entry_target (org, target, seq, class, month)'),
  values: (t) => [t.org, t.target, t.seq, t.class, t.month],
};
const heads: Columns<HeadRow> = {
  table: 'heads',
  types: ['text', 'bigint', 'bytea', 'int', 'timestamptz', 'bigint'],
  write: (rows) =>
    `UPDATE head SET seq = h.seq, range = h.range, month = h.month, latest = h.latest, late_ms = h.late_ms
       FROM (${rows}) AS h(org, seq, range, month, latest, late_ms) WHERE head.org = h.org`,
  values: (h) => [h.org, h.seq, h.range, h.month, new Date(h.latest), h.lateMs],
};
const subtrees: Columns<BatchPlan['subtrees'][number]> = {
  table: 'subtrees',
  types: ['text', 'smallint', 'bigint', 'bytea', 'timestamptz'],
  write: insert('subtree (org, level, index, hash, last_at)'),
  values: (s) => [s.org, s.level, s.index, s.hash, new Date(s.lastAt)],
};
const mappings: Columns<BatchPlan['newMappings'][number]> = {
  table: 'mappings',
  types: ['text', 'text', 'text', 'text', 'bytea'],
  write: insert('pseudonym_mapping (org, value, data_subject, pseudonym, salt)'),
  values: (m) => [m.org, m.value, m.dataSubject, m.pseudonym, m.salt],
};
const keys: Columns<OrgAnd<{ dataSubject: string; id: string; sealed: Buffer; keyId: Buffer }>> = {
  table: 'keys',
  types: ['text', 'text', 'uuid', 'bytea', 'bytea'],
  write: insert('personal_data_key (org, data_subject, id, key, encryption_key_id)'),
  values: (k) => [k.org, k.dataSubject, k.id, k.sealed, k.keyId],
};
/**
 * Records that are appended are pending no longer. An appended provisional record leaves a handler's record of the same
 * id pending, which may have been quarantined at the same time.
 */
const appended: Columns<OrgAnd<{ id: string; provisional: boolean }>> = {
  table: 'appended',
  types: ['text', 'uuid', 'boolean'],
  write: (rows) =>
    `DELETE FROM pending_record p USING (${rows}) AS a(org, id, provisional)
       WHERE p.org = a.org AND p.id = a.id AND (p.provisional OR NOT a.provisional)`,
  values: (a) => [a.org, a.id, a.provisional],
};
const erasures: Columns<OrgAnd<{ dataSubject: string }>> = {
  table: 'erasures',
  types: ['text', 'text'],
  write: (rows) => `SELECT * FROM (${rows}) AS e(org, data_subject)`,
  values: (e) => [e.org, e.dataSubject],
};

const rowSets = [entries, leaves, targets, heads, subtrees, mappings, keys, appended, erasures];

/**
 * Writes the whole batch in one statement. For each erased data subject it deletes the pseudonym mappings, stores
 * hashes of their ids in `erased`, and deletes the personal data key together with that of the unknown data subject.
 * The SELECTs around the parameters hide the lengths of the arrays from the planner: it would estimate a special plan
 * for short arrays as cheaper than the generic one, and plan every batch anew.
 */
export const writeBatch = statement(
  'batch_write',
  `WITH ${withRows()},
   unmapped AS (
     DELETE FROM pseudonym_mapping m USING erasures e WHERE m.org = e.org AND m.data_subject = e.data_subject
     RETURNING m.org, m.value),
   deleted_keys AS (
     DELETE FROM personal_data_key k USING erasures e
      WHERE k.org = e.org AND (k.data_subject = e.data_subject OR k.data_subject = '${unknownDataSubject}'))
   INSERT INTO erased (key)
   SELECT DISTINCT sha256(convert_to(org || '/' || value, 'UTF8'))
     FROM (SELECT org, value FROM unmapped UNION ALL SELECT org, data_subject FROM erasures) AS e(org, value)
   ON CONFLICT DO NOTHING`,
);

function withRows(): string {
  let parameter = 0;
  const nextParameter = () => `$${(parameter += 1)}`;
  return rowSets
    .map(({ table, types, write }) => {
      const arrays = types.map((type) => `(SELECT ${nextParameter()}::${type}[])`).join(', ');
      return `${table} AS (${write(`SELECT * FROM unnest(${arrays})`)})`;
    })
    .join(',\n   ');
}

/** The parameters of writeBatch. */
export function batchValues(plan: BatchPlan, items: readonly AppendItem[], encryption: KeyEncryption): unknown[] {
  return [
    ...columns(entries, plan.entries),
    ...columns(leaves, plan.entries),
    ...columns(
      targets,
      plan.entries.flatMap(({ org, seq, class: name, month, leaf }) =>
        leaf.targets.map((target) => ({ org, target, seq, class: name, month })),
      ),
    ),
    ...columns(
      heads,
      [...plan.heads].map(([org, head]) => ({ org, ...head })),
    ),
    ...columns(subtrees, plan.subtrees),
    ...columns(mappings, plan.newMappings),
    ...columns(
      keys,
      plan.newKeys.map(({ org, dataSubject, key: { id, key } }) => ({
        org,
        dataSubject,
        id,
        sealed: encryption.encrypt(key, personalDataKeyContext(org, id)),
        keyId: encryption.keyId,
      })),
    ),
    ...columns(
      appended,
      items.flatMap(({ org, record, provisional = false }) => (record ? [{ org, id: record.id, provisional }] : [])),
    ),
    ...columns(
      erasures,
      items.flatMap(({ org, erases }) => (erases === undefined ? [] : [{ org, dataSubject: erases }])),
    ),
  ];
}

function columns<Row>({ types, values }: Columns<Row>, rows: Row[]): unknown[][] {
  const cells = rows.map(values);
  return types.map((_, column) => cells.map((row) => row[column]));
}
