import { columns, namedStatement } from '@holdfast/data';
import type { KeyEncryption } from '@holdfast/platform';
import { personalDataKeyContext } from '../privacy/key-encryption.js';
import { unknownDataSubject } from '../privacy/personal-data.js';
import type { AppendItem, BatchPlan, Entry } from './plan.js';

type HeadRow = { org: string } & (BatchPlan['heads'] extends Map<string, infer H> ? H : never);
type TargetRow = Pick<Entry, 'org' | 'seq' | 'class' | 'month'> & { target: string };
type OrgAnd<Value> = { org: string } & Value;

/**
 * Writes the whole batch in one statement. For each erased data subject it deletes the pseudonym mappings, stores
 * hashes of their ids in `erased`, and deletes the personal data key together with that of the unknown data subject.
 * Records that are appended are pending no longer. An appended provisional record leaves a handler's record of the same
 * id pending, which may have been quarantined at the same time.
 */
export const writeBatch = namedStatement(
  'batch_write',
  {
    entries: columns<Entry>({
      org: ['text', (e) => e.org],
      seq: ['bigint', (e) => e.seq],
      class: ['text', (e) => e.class],
      month: ['int', (e) => e.month],
      occurred_at: ['timestamptz', (e) => e.record.occurredAt],
      action: ['text', (e) => e.record.action],
      actor_id: ['text', (e) => e.leaf.actorId],
      outcome: ['text', (e) => e.record.outcome.result],
      personal_data_key_id: ['uuid', (e) => e.personalData?.keyId ?? null],
      personal_data: ['bytea', (e) => e.personalData?.sealed ?? null],
      leaf: ['bytea', (e) => e.leaf.bytes],
    }),
    leaves: columns<Entry>({
      org: ['text', (e) => e.org],
      seq: ['bigint', (e) => e.seq],
      id: ['uuid', (e) => e.record.id],
      class: ['text', (e) => e.class],
      month: ['int', (e) => e.month],
      from_provisional: ['boolean', (e) => e.provisional],
      leaf_hash: ['bytea', (e) => e.leafHash],
    }),
    targets: columns<TargetRow>({
      org: ['text', (t) => t.org],
      target: ['text', (t) => t.target],
      seq: ['bigint', (t) => t.seq],
      class: ['text', (t) => t.class],
      month: ['int', (t) => t.month],
    }),
    heads: columns<HeadRow>({
      org: ['text', (h) => h.org],
      seq: ['bigint', (h) => h.seq],
      range: ['bytea', (h) => h.range],
      month: ['int', (h) => h.month],
      latest: ['timestamptz', (h) => new Date(h.latest)],
      late_ms: ['bigint', (h) => h.lateMs],
    }),
    subtrees: columns<BatchPlan['subtrees'][number]>({
      org: ['text', (s) => s.org],
      level: ['smallint', (s) => s.level],
      index: ['bigint', (s) => s.index],
      hash: ['bytea', (s) => s.hash],
      last_at: ['timestamptz', (s) => new Date(s.lastAt)],
    }),
    mappings: columns<BatchPlan['newMappings'][number]>({
      org: ['text', (m) => m.org],
      value: ['text', (m) => m.value],
      data_subject: ['text', (m) => m.dataSubject],
      pseudonym: ['text', (m) => m.pseudonym],
      salt: ['bytea', (m) => m.salt],
    }),
    keys: columns<OrgAnd<{ dataSubject: string; id: string; sealed: Buffer; keyId: Buffer }>>({
      org: ['text', (k) => k.org],
      data_subject: ['text', (k) => k.dataSubject],
      id: ['uuid', (k) => k.id],
      key: ['bytea', (k) => k.sealed],
      encryption_key_id: ['bytea', (k) => k.keyId],
    }),
    appended: columns<OrgAnd<{ id: string; provisional: boolean }>>({
      org: ['text', (a) => a.org],
      id: ['uuid', (a) => a.id],
      provisional: ['boolean', (a) => a.provisional],
    }),
    erasures: columns<OrgAnd<{ dataSubject: string }>>({
      org: ['text', (e) => e.org],
      data_subject: ['text', (e) => e.dataSubject],
    }),
  },
  (p) =>
    `WITH entries AS (
     INSERT INTO entry (${p.entries.names}) SELECT * FROM ${p.entries.unnestOfAnyLength('e')}),
   leaves AS (
     INSERT INTO leaf (${p.leaves.names}) SELECT * FROM ${p.leaves.unnestOfAnyLength('l')}),
   targets AS (
     INSERT INTO entry_target (${p.targets.names}) SELECT * FROM ${p.targets.unnestOfAnyLength('t')}),
   heads AS (
     UPDATE head SET seq = h.seq, range = h.range, month = h.month, latest = h.latest, late_ms = h.late_ms
       FROM ${p.heads.unnestOfAnyLength('h')} WHERE head.org = h.org),
   subtrees AS (
     INSERT INTO subtree (${p.subtrees.names}) SELECT * FROM ${p.subtrees.unnestOfAnyLength('s')}),
   mappings AS (
     INSERT INTO pseudonym_mapping (${p.mappings.names}) SELECT * FROM ${p.mappings.unnestOfAnyLength('m')}),
   keys AS (
     INSERT INTO personal_data_key (${p.keys.names}) SELECT * FROM ${p.keys.unnestOfAnyLength('k')}),
   appended AS (
     DELETE FROM pending_record p USING ${p.appended.unnestOfAnyLength('a')}
      WHERE p.org = a.org AND p.id = a.id AND (p.provisional OR NOT a.provisional)),
   erasures AS (SELECT * FROM ${p.erasures.unnestOfAnyLength('e')}),
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

/** The values of writeBatch. */
export function batchValues(plan: BatchPlan, items: readonly AppendItem[], encryption: KeyEncryption): unknown[] {
  return writeBatch.values({
    entries: plan.entries,
    leaves: plan.entries,
    targets: plan.entries.flatMap(({ org, seq, class: name, month, leaf }) =>
      leaf.targets.map((target) => ({ org, target, seq, class: name, month })),
    ),
    heads: [...plan.heads].map(([org, head]) => ({ org, ...head })),
    subtrees: plan.subtrees,
    mappings: plan.newMappings,
    keys: plan.newKeys.map(({ org, dataSubject, key: { id, key } }) => ({
      org,
      dataSubject,
      id,
      sealed: encryption.encrypt(key, personalDataKeyContext(org, id)),
      keyId: encryption.keyId,
    })),
    appended: items.flatMap(({ org, record, provisional = false }) =>
      record ? [{ org, id: record.id, provisional }] : [],
    ),
    erasures: items.flatMap(({ org, erases }) => (erases === undefined ? [] : [{ org, dataSubject: erases }])),
  });
}
