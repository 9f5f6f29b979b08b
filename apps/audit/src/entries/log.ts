import { randomBytes } from 'node:crypto';
import { Database, statement, violatedUnique, type Sql, type Transaction } from '@holdfast/data';
import { customerKey } from '@holdfast/kit';
import { Injectable, Logger } from '@nestjs/common';
import { arrange, key, lateId, type Arranged, type Item, type Known } from './arrange.js';
import { namesIn } from './leaf.js';
import { storable } from './storable.js';

const newHeads = statement('head_new', 'INSERT INTO head (org, seq) SELECT org, 0 FROM unnest($1::text[]) AS o(org) ON CONFLICT DO NOTHING');
/** In the order of the names, so that two batches never wait for each other. */
const holdHeads = statement('head_hold', 'SELECT org, seq FROM head WHERE org = ANY ($1) ORDER BY org FOR UPDATE');
/**
 * A statement of its own, after the heads are held: it sees what the batch before has committed. LIMIT keeps each part to
 * one look into an index per row; a plain join may read a whole table, and does while that is small or its plan is old.
 */
const lookUp = statement(
  'entry_known',
  `SELECT 'entry' AS kind, q.org, q.id::text AS value, e.from_provisional::text AS found
     FROM unnest($1::text[], $2::uuid[]) AS q(org, id), LATERAL (SELECT from_provisional FROM entry WHERE org = q.org AND id = q.id LIMIT 1) e
   UNION ALL
   SELECT 'name', q.org, q.value, p.pseudonym
     FROM unnest($3::text[], $4::text[]) AS q(org, value), LATERAL (SELECT pseudonym FROM pseudonym WHERE org = q.org AND value = q.value LIMIT 1) p
   UNION ALL
   SELECT 'erased', '', encode(q.key, 'hex'), ''
     FROM unnest($5::bytea[]) AS q(key), LATERAL (SELECT FROM erased WHERE key = q.key LIMIT 1) e`,
);
/**
 * The whole batch at once. An erased customer's names are hashed into `erased` as their pseudonyms lose their meaning.
 * SELECT hides from the planner how long the arrays are: seeing few rows, it would find a plan made for them cheaper than
 * the one it keeps, and plan with every batch.
 */
const write = statement(
  'entry_write',
  `WITH entries AS (
     INSERT INTO entry (org, seq, id, occurred_at, action, actor_id, outcome, from_provisional, leaf)
     SELECT * FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[]), (SELECT $3::uuid[]), (SELECT $4::timestamptz[]), (SELECT $5::text[]), (SELECT $6::text[]), (SELECT $7::text[]), (SELECT $8::boolean[]), (SELECT $9::bytea[]))
   ), raised AS (
     UPDATE head SET seq = h.seq FROM (SELECT org, max(seq) AS seq FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[])) AS e(org, seq) GROUP BY org) h WHERE head.org = h.org
   ), targets AS (
     INSERT INTO entry_target (org, target, seq) SELECT * FROM unnest((SELECT $10::text[]), (SELECT $11::text[]), (SELECT $12::bigint[]))
   ), named AS (
     INSERT INTO pseudonym (org, value, holder, pseudonym) SELECT * FROM unnest((SELECT $13::text[]), (SELECT $14::text[]), (SELECT $15::text[]), (SELECT $16::text[]))
   ), settled AS (
     DELETE FROM provisional WHERE (org, id) IN (SELECT * FROM unnest((SELECT $17::text[]), (SELECT $18::uuid[])))
   ), erasing AS (
     SELECT * FROM unnest((SELECT $19::text[]), (SELECT $20::text[])) AS e(org, holder)
   ), unnamed AS (
     DELETE FROM pseudonym p USING erasing e WHERE p.org = e.org AND p.holder = e.holder RETURNING p.org, p.value
   )
   INSERT INTO erased (key)
   SELECT DISTINCT sha256(convert_to(org || '/' || value, 'UTF8')) FROM (SELECT org, value FROM unnamed UNION ALL SELECT org, holder FROM erasing) AS gone(org, value)
   ON CONFLICT DO NOTHING`,
);

/** Rounds in which another replica may have been faster before something else must be wrong. */
const rounds = 5;

/** Appends to the logs of organizations: whole batches, each in one transaction. */
@Injectable()
export class Log {
  private readonly logger = new Logger('log');

  constructor(private readonly database: Database) {}

  /**
   * Gives every item its place, or none of them. Places have no gap: they are given out while the head of the log is
   * held and commit with it. An item that has its place already keeps it.
   */
  async append(given: readonly Item[]): Promise<void> {
    const items = given.map(({ record, ...item }) => ({ ...item, ...(record && { record: storable(record) }) }));
    for (let round = 1; ; round += 1) {
      try {
        const { late } = await this.database.transaction((sql) => appendIn(sql, items));
        for (const { id, request } of late) this.logger.warn(`the handler's record ${id} of request ${request.id} came after the gateway's was given its place; both stand in the log`);
        return;
      } catch (error) {
        if (violatedUnique(error) === undefined || round === rounds) throw error;
      }
    }
  }
}

async function appendIn(sql: Transaction, items: readonly Item[]): Promise<Arranged> {
  const orgs = [...new Set(items.map((i) => i.org))];
  // Begun together: one trip. What is known is still looked up after the heads are held.
  const look = () => Promise.all([held(sql, orgs), known(sql, items)]);
  let [heads, there] = await look();
  if (heads.size < orgs.length) {
    await sql.rows(newHeads, [orgs.sort()]);
    [heads, there] = await look();
  }
  const arranged = arrange(items, { heads, ...there }, () => randomBytes(16).toString('base64url'));
  await sql.last(write, columnsOf(arranged, items));
  return arranged;
}

async function held(sql: Sql, orgs: string[]): Promise<Map<string, number>> {
  const rows = await sql.rows<{ org: string; seq: number }>(holdHeads, [orgs]);
  return new Map(rows.map((r) => [r.org, r.seq]));
}

async function known(sql: Sql, items: readonly Item[]): Promise<Omit<Known, 'heads'>> {
  const records = items.flatMap(({ org, record }) => (record ? [{ org, record }] : []));
  const ids = records.map(({ org, record }) => ({ org, id: record.id }));
  const names = distinct(records.flatMap(({ org, record }) => namesIn(record).flatMap(({ value, holder = value }) => [{ org, value }, { org, value: holder }])));
  const keys = names.map(({ org, value }) => customerKey(org, value));
  const found = await sql.rows<Found>(lookUp, [ids.map((i) => i.org), ids.map((i) => i.id), names.map((n) => n.org), names.map((n) => n.value), keys]);
  const of = (kind: Found['kind']) => found.filter((f) => f.kind === kind);
  // Only where the gateway's guess stands may the handler's record stand a second time, under another id.
  const guessed = of('entry').filter((f) => f.found === 'true').map(({ org, value }) => ({ org, id: lateId(value) }));
  const late = guessed.length === 0 ? [] : await sql.rows<Found>(lookUp, [guessed.map((g) => g.org), guessed.map((g) => g.id), [], [], []]);
  return {
    entries: new Map([...of('entry'), ...late].map((f) => [key(f.org, f.value), f.found === 'true'])),
    pseudonyms: new Map(of('name').map((f) => [key(f.org, f.value), f.found])),
    erased: new Set(of('erased').map((f) => f.value)),
  };
}

interface Found {
  kind: 'entry' | 'name' | 'erased';
  org: string;
  value: string;
  found: string;
}

function distinct(names: { org: string; value: string }[]): { org: string; value: string }[] {
  return [...new Map(names.map((n) => [key(n.org, n.value), n])).values()];
}

function columnsOf({ entries, named }: Arranged, items: readonly Item[]): unknown[] {
  const targets = entries.flatMap(({ org, seq, leaf }) => leaf.targets.map((target) => ({ org, seq, target })));
  // Whatever became of an item, its provisional twin is no longer waited for.
  const settled = items.flatMap(({ org, record }) => (record ? [{ org, id: record.id }] : []));
  const erasures = items.flatMap(({ org, erases }) => (erases === undefined ? [] : [{ org, holder: erases }]));
  return [
    entries.map((e) => e.org), entries.map((e) => e.seq), entries.map((e) => e.record.id), entries.map((e) => e.record.occurredAt),
    entries.map((e) => e.record.action), entries.map((e) => e.leaf.actorId), entries.map((e) => e.record.outcome.result),
    entries.map((e) => e.provisional), entries.map((e) => e.leaf.bytes),
    targets.map((t) => t.org), targets.map((t) => t.target), targets.map((t) => t.seq),
    named.map((n) => n.org), named.map((n) => n.value), named.map((n) => n.holder), named.map((n) => n.pseudonym),
    settled.map((s) => s.org), settled.map((s) => s.id),
    erasures.map((e) => e.org), erasures.map((e) => e.holder),
  ];
}
