import { statement, type Sql } from '@holdfast/data';
import { customerKey, type KeyEncryption } from '@holdfast/platform';
import { callerChosenIds, dataSubjectOf, decryptPersonalDataKey, personalValuesIn } from '../privacy/personal-data.js';
import { identifiersIn } from '../privacy/pseudonyms.js';
import type { LogHead } from './log-head.js';
import { key, lateId, type AppendItem, type BatchState } from './plan.js';

const newHeads = statement(
  'head_new',
  'INSERT INTO head (org, seq) SELECT org, 0 FROM unnest($1::text[]) AS o(org) ON CONFLICT DO NOTHING',
);
/** Ordered by organization, so that two batches cannot deadlock. */
const lockHeads = statement(
  'head_lock',
  `SELECT org, seq, range, month, (extract(epoch FROM latest) * 1000)::bigint AS latest, late_ms AS "lateMs"
     FROM head WHERE org = ANY ($1) ORDER BY org FOR UPDATE`,
);
/**
 * A statement of its own, after the heads are locked, so that it sees what the previous batch committed. LIMIT keeps
 * each part to one index lookup per row: a plain join may read a whole table while it is small or its plan is old.
 * For the SELECTs around the parameters see `unnestOfAnyLength` of @holdfast/data.
 */
const loadState = statement(
  'batch_state',
  `SELECT 'entry' AS kind, q.org, q.id::text AS value, l.from_provisional::text AS stored, NULL::bytea AS sealed
     FROM unnest((SELECT $1::text[]), (SELECT $2::uuid[])) AS q(org, id),
       LATERAL (SELECT from_provisional FROM leaf WHERE org = q.org AND id = q.id LIMIT 1) l
   UNION ALL
   SELECT 'pseudonym', q.org, q.value, m.pseudonym, NULL
     FROM unnest((SELECT $3::text[]), (SELECT $4::text[])) AS q(org, value),
       LATERAL (SELECT pseudonym FROM pseudonym_mapping WHERE org = q.org AND value = q.value LIMIT 1) m
   UNION ALL
   SELECT 'erased', '', encode(q.key, 'hex'), '', NULL
     FROM unnest((SELECT $5::bytea[])) AS q(key), LATERAL (SELECT FROM erased WHERE key = q.key LIMIT 1) e
   UNION ALL
   SELECT 'key', q.org, q.data_subject, k.id::text, k.key
     FROM unnest((SELECT $6::text[]), (SELECT $7::text[])) AS q(org, data_subject),
       LATERAL (SELECT id, key FROM personal_data_key WHERE org = q.org AND data_subject = q.data_subject LIMIT 1) k`,
);

/** What is stored about `value`: an entry's `from_provisional`, a pseudonym, or the id of a personal data key. */
interface StateRow {
  kind: 'entry' | 'pseudonym' | 'erased' | 'key';
  org: string;
  value: string;
  stored: string;
  sealed: Buffer | null;
}

/** Locks the heads of the logs of `items` until the transaction ends, and loads what is stored about the items. */
export async function lockAndLoad(
  sql: Sql,
  items: readonly AppendItem[],
  encryption: KeyEncryption,
): Promise<BatchState> {
  const orgs = [...new Set(items.map((i) => i.org))];
  // Both are sent at once and take one round trip. PostgreSQL still executes the second after the first.
  const load = () => Promise.all([lockedHeads(sql, orgs), loadStored(sql, items, encryption)]);
  let [heads, state] = await load();
  if (heads.size < orgs.length) {
    await sql.rows(newHeads, [orgs.sort()]);
    [heads, state] = await load();
  }
  return { heads, ...state };
}

async function lockedHeads(sql: Sql, orgs: string[]): Promise<Map<string, LogHead>> {
  const rows = await sql.rows<LogHead & { org: string }>(lockHeads, [orgs]);
  return new Map(rows.map(({ org, ...head }) => [org, head]));
}

async function loadStored(
  sql: Sql,
  items: readonly AppendItem[],
  encryption: KeyEncryption,
): Promise<Omit<BatchState, 'heads'>> {
  const records = items.flatMap(({ org, record }) => (record ? [{ org, record }] : []));
  const ids = records.map(({ org, record }) => ({ org, id: record.id }));
  const values = distinct(
    records.flatMap(({ org, record }) => [
      ...identifiersIn(record).flatMap(({ value, dataSubject = value }) => [
        { org, value },
        { org, value: dataSubject },
      ]),
      ...callerChosenIds(record).map((value) => ({ org, value })),
    ]),
  );
  // Most records have no personal data, and need no key.
  const dataSubjects = distinct(
    records
      .filter(({ record }) => personalValuesIn(record).length > 0)
      .map(({ org, record }) => ({ org, value: dataSubjectOf(record) })),
  );
  const rows = await sql.rows<StateRow>(loadState, [
    ids.map((i) => i.org),
    ids.map((i) => i.id),
    values.map((v) => v.org),
    values.map((v) => v.value),
    values.map((v) => customerKey(v.org, v.value)),
    dataSubjects.map((d) => d.org),
    dataSubjects.map((d) => d.value),
  ]);
  const of = (kind: StateRow['kind']) => rows.filter((row) => row.kind === kind);
  // Only beside an appended provisional record may the handler's record have an entry, under another id.
  const provisional = of('entry')
    .filter((row) => row.stored === 'true')
    .map(({ org, value }) => ({ org, id: lateId(value) }));
  const late =
    provisional.length === 0
      ? []
      : await sql.rows<StateRow>(loadState, [
          provisional.map((p) => p.org),
          provisional.map((p) => p.id),
          ...[[], [], [], [], []],
        ]);
  return {
    entries: new Map([...of('entry'), ...late].map((row) => [key(row.org, row.value), row.stored === 'true'])),
    pseudonyms: new Map(of('pseudonym').map((row) => [key(row.org, row.value), row.stored])),
    personalDataKeys: new Map(
      of('key').map(({ org, value, stored, sealed }) => [
        key(org, value),
        decryptPersonalDataKey(stored, sealed!, encryption, org),
      ]),
    ),
    erased: new Set(of('erased').map((row) => row.value)),
  };
}

function distinct(values: { org: string; value: string }[]): { org: string; value: string }[] {
  return [...new Map(values.map((v) => [key(v.org, v.value), v])).values()];
}
