import type { ServiceName } from '@holdfast/contracts';

/** A step of a restore, in the order in which they run, in one transaction for each database. */
export interface RestoreStep {
  /** Whose tables it changes. */
  service: ServiceName;
  /** What it deletes or changes, in the plural. */
  what: string;
  /** It may use the temporary tables `ledger` (hash) and `gone` (org, id). */
  sql: string;
}

/**
 * Erases again the customers and people whom a backup has brought back, by the hashes of the erasure ledger. Each
 * service keeps a tombstone, so that it ignores late events about them. Sessions that were revoked since the backup
 * would be valid again, and logout notifications are encrypted: all are deleted, and everybody signs in again. Readers
 * of a feed whose cursor is beyond the backup would miss new events: the feed continues with numbers that it cannot
 * have had, and the cursors in between get 410.
 */
export const restoreSteps: readonly RestoreStep[] = [
  {
    service: 'issuance',
    what: 'customers',
    sql: `DELETE FROM issuance.subject s
      USING gone g
      WHERE s.id = g.id`,
  },
  {
    service: 'issuance',
    what: 'stored responses of customers',
    sql: `UPDATE issuance.idempotency i
      SET fingerprint = NULL, response = NULL, subject = NULL
      FROM gone g
      WHERE i.subject = g.id`,
  },
  {
    service: 'issuance',
    what: 'events of customers',
    sql: `DELETE FROM issuance.outbox o
      USING gone g
      WHERE o.aggregate = g.id::text`,
  },
  {
    service: 'directory',
    what: 'people',
    sql: `DELETE FROM directory.person p
      USING gone g
      WHERE p.id = g.id`,
  },
  {
    service: 'directory',
    what: 'stored responses about people',
    sql: `UPDATE directory.idempotency i
      SET fingerprint = NULL, response = NULL, subject = NULL
      FROM gone g
      WHERE i.subject = g.id`,
  },
  {
    service: 'directory',
    what: 'stored responses of people',
    sql: `DELETE FROM directory.idempotency i
      USING gone g
      WHERE i.app = g.id::text`,
  },
  {
    service: 'directory',
    what: 'events of people',
    sql: `DELETE FROM directory.outbox o
      USING gone g
      WHERE o.aggregate = g.id::text`,
  },
  {
    service: 'directory',
    what: 'revocations of people',
    sql: `UPDATE directory.access_change c
      SET kind = 'organization', id = ''
      FROM gone g
      WHERE c.kind = 'person' AND c.id = g.id::text`,
  },
  {
    service: 'subjects',
    what: 'rows of the read model',
    sql: `UPDATE subjects.subject
      SET org = NULL, app = NULL, subject = NULL, created_at = NULL, claimed = NULL, state = NULL, erased_at = now()
      WHERE key IN (SELECT hash FROM ledger) AND erased_at IS NULL`,
  },
  {
    service: 'auth',
    what: 'sessions, grants and tokens',
    sql: `DELETE FROM auth.oidc_state`,
  },
  {
    service: 'auth',
    what: 'logout notifications',
    sql: `DELETE FROM auth.logout_notification`,
  },
  {
    service: 'auth',
    what: 'revocations of sessions',
    sql: `INSERT INTO auth.session_revocation (key, at, erased)
      SELECT sha256(convert_to(org || '/' || id, 'UTF8')), now(), true
      FROM gone
      ON CONFLICT (key) DO UPDATE
      SET at = excluded.at, erased = true`,
  },
  {
    service: 'audit',
    what: 'tombstones of the audit log',
    sql: `INSERT INTO audit.erased (key)
      SELECT hash
      FROM ledger
      ON CONFLICT DO NOTHING`,
  },
  {
    service: 'audit',
    what: 'tombstones of values in the audit log',
    sql: `INSERT INTO audit.erased (key)
      SELECT sha256(convert_to(p.org || '/' || v, 'UTF8'))
      FROM audit.pseudonym_mapping p
      JOIN gone g ON p.org = g.org AND p.data_subject = g.id::text,
      LATERAL (VALUES (p.value), (p.data_subject)) x (v)
      ON CONFLICT DO NOTHING`,
  },
  {
    service: 'audit',
    what: 'pseudonym mappings',
    sql: `DELETE FROM audit.pseudonym_mapping p
      USING gone g
      WHERE p.org = g.org AND p.data_subject = g.id::text`,
  },
  {
    service: 'audit',
    what: 'personal data keys',
    sql: `DELETE FROM audit.personal_data_key k
      USING gone g
      WHERE k.org = g.org AND k.data_subject = g.id::text`,
  },
  {
    service: 'audit',
    what: 'files of exports',
    sql: `DELETE FROM audit.export_chunk`,
  },
  {
    service: 'audit',
    what: 'exports',
    sql: `UPDATE audit.export
      SET state = 'expired', reason = 'restore', finished_at = now(), stored_bytes = 0
      WHERE state IN ('queued', 'running', 'ready')`,
  },
  {
    service: 'audit',
    what: 'requesters of exports',
    sql: `UPDATE audit.export e
      SET requester_id = NULL
      FROM gone g
      WHERE e.org = g.org AND e.requester_id = g.id::text`,
  },
  {
    service: 'signals',
    what: 'events of feeds',
    sql: `DELETE FROM signals.event
      WHERE type NOT IN ('subject.erased', 'user.removed') AND key IN (SELECT hash FROM ledger)`,
  },
  {
    service: 'signals',
    what: 'messages of webhooks',
    sql: `DELETE FROM signals.webhook_delivery
      WHERE type NOT IN ('subject.erased', 'user.removed') AND key IN (SELECT hash FROM ledger)`,
  },
  {
    service: 'signals',
    what: 'security events of streams',
    sql: `DELETE FROM signals.ssf_event WHERE uri NOT LIKE '%/account-purged' AND key IN (SELECT hash FROM ledger)`,
  },
  {
    service: 'signals',
    what: 'subjects of streams',
    sql: 'DELETE FROM signals.ssf_subject WHERE key IN (SELECT hash FROM ledger)',
  },
  {
    service: 'signals',
    what: 'waiting events of feeds',
    sql: `DELETE FROM signals.early_event
      WHERE key IN (SELECT hash FROM ledger)`,
  },
  {
    service: 'signals',
    what: 'tombstones of feeds',
    sql: `UPDATE signals.aggregate
      SET erased_at = now()
      WHERE key IN (SELECT hash FROM ledger) AND erased_at IS NULL`,
  },
  {
    service: 'signals',
    what: 'feeds',
    sql: `UPDATE signals.head
      SET seq = seq + 1000000, lost = lost + int8multirange(int8range(seq, seq + 1000000, '()'))`,
  },
];
