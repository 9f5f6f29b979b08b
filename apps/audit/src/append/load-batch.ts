import { statement, type Sql } from '@holdfast/data';
import { customerKey } from '@holdfast/platform';
import type { EncryptionKeys } from '../privacy/key-encryption.js';
import { holderOf, idsChosen, openPersonKey, personalIn } from '../privacy/personal-data.js';
import { namesIn } from './leaf.js';
import type { Head } from './log-head.js';
import type { Known } from './plan.js';
import { key, lateId, type Item } from './select.js';

const newHeads = statement(
  'head_new',
  'INSERT INTO head (org, seq) SELECT org, 0 FROM unnest($1::text[]) AS o(org) ON CONFLICT DO NOTHING',
);
/** In the order of the names, so that two batches never wait for each other. */
const holdHeads = statement(
  'head_hold',
  `SELECT org, seq, range, month, (extract(epoch FROM latest) * 1000)::bigint AS latest, late_ms AS "lateMs" FROM head WHERE org = ANY ($1) ORDER BY org FOR UPDATE`,
);
/**
 * A statement of its own, after the heads are held: it sees what the batch before has committed. LIMIT keeps each part
 * to one look into an index per row; a plain join may read a whole table, and does while that is small or its plan is
 * old. SELECT: see writeBatch.
 */
const lookUp = statement(
  'entry_known',
  `SELECT 'entry' AS kind, q.org, q.id::text AS value, p.from_provisional::text AS found, NULL::bytea AS sealed
     FROM unnest((SELECT $1::text[]), (SELECT $2::uuid[])) AS q(org, id), LATERAL (SELECT from_provisional FROM place WHERE org = q.org AND id = q.id LIMIT 1) p
   UNION ALL
   SELECT 'name', q.org, q.value, p.pseudonym, NULL
     FROM unnest((SELECT $3::text[]), (SELECT $4::text[])) AS q(org, value), LATERAL (SELECT pseudonym FROM pseudonym WHERE org = q.org AND value = q.value LIMIT 1) p
   UNION ALL
   SELECT 'erased', '', encode(q.key, 'hex'), '', NULL
     FROM unnest((SELECT $5::bytea[])) AS q(key), LATERAL (SELECT FROM erased WHERE key = q.key LIMIT 1) e
   UNION ALL
   SELECT 'person', q.org, q.data_subject, k.person::text, k.key
     FROM unnest((SELECT $6::text[]), (SELECT $7::text[])) AS q(org, data_subject), LATERAL (SELECT person, key FROM person_key WHERE org = q.org AND data_subject = q.data_subject LIMIT 1) k`,
);

interface Found {
  kind: 'entry' | 'name' | 'erased' | 'person';
  org: string;
  value: string;
  found: string;
  sealed: Buffer | null;
}

/**
 * Holds the heads of the logs that `items` belong to, until the transaction ends, and reads what is known about the
 * items.
 */
export async function holdAndLookUp(sql: Sql, items: readonly Item[], keys: EncryptionKeys): Promise<Known> {
  const orgs = [...new Set(items.map((i) => i.org))];
  // Begun together: one trip. What is known is still looked up after the heads are held.
  const look = () => Promise.all([held(sql, orgs), known(sql, items, keys)]);
  let [heads, there] = await look();
  if (heads.size < orgs.length) {
    await sql.rows(newHeads, [orgs.sort()]);
    [heads, there] = await look();
  }
  return { heads, ...there };
}

async function held(sql: Sql, orgs: string[]): Promise<Map<string, Head>> {
  const rows = await sql.rows<Head & { org: string }>(holdHeads, [orgs]);
  return new Map(rows.map(({ org, ...head }) => [org, head]));
}

async function known(sql: Sql, items: readonly Item[], keys: EncryptionKeys): Promise<Omit<Known, 'heads'>> {
  const records = items.flatMap(({ org, record }) => (record ? [{ org, record }] : []));
  const ids = records.map(({ org, record }) => ({ org, id: record.id }));
  const names = distinct(
    records.flatMap(({ org, record }) => [
      ...namesIn(record).flatMap(({ value, dataSubject = value }) => [
        { org, value },
        { org, value: dataSubject },
      ]),
      ...idsChosen(record).map((value) => ({ org, value })),
    ]),
  );
  const holders = distinct(
    records.flatMap(({ org, record }) => personalHolder(record).map((value) => ({ org, value }))),
  );
  const found = await sql.rows<Found>(lookUp, [
    ids.map((i) => i.org),
    ids.map((i) => i.id),
    names.map((n) => n.org),
    names.map((n) => n.value),
    names.map((n) => customerKey(n.org, n.value)),
    holders.map((h) => h.org),
    holders.map((h) => h.value),
  ]);
  const of = (kind: Found['kind']) => found.filter((f) => f.kind === kind);
  // Only where the gateway's guess stands may the handler's record stand a second time, under another id.
  const guessed = of('entry')
    .filter((f) => f.found === 'true')
    .map(({ org, value }) => ({ org, id: lateId(value) }));
  const late =
    guessed.length === 0
      ? []
      : await sql.rows<Found>(lookUp, [guessed.map((g) => g.org), guessed.map((g) => g.id), [], [], [], [], []]);
  return {
    entries: new Map([...of('entry'), ...late].map((f) => [key(f.org, f.value), f.found === 'true'])),
    pseudonyms: new Map(of('name').map((f) => [key(f.org, f.value), f.found])),
    persons: new Map(of('person').map((f) => [key(f.org, f.value), openPersonKey(f.found, f.sealed!, keys, f.org)])),
    erased: new Set(of('erased').map((f) => f.value)),
  };
}

/** Of most records nothing personal is known, and no key is looked for. */
function personalHolder(record: NonNullable<Item['record']>): string[] {
  return personalIn(record).length > 0 ? [holderOf(record)] : [];
}

function distinct(names: { org: string; value: string }[]): { org: string; value: string }[] {
  return [...new Map(names.map((n) => [key(n.org, n.value), n])).values()];
}
