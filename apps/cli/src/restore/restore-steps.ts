/** A step of a restore, in the order in which they run, in one transaction. */
export interface RestoreStep {
  /** What it deletes or changes, in the plural; absent for a step that only prepares others. */
  what?: string;
  sql: string;
}

/**
 * Erases again the customers and people whom a backup has brought back, by the hashes of the erasure ledger. Each
 * service keeps a tombstone, so that it ignores late events about them. Sessions that were revoked since the backup
 * would be valid again, and logout notifications are encrypted: all are deleted, and everybody signs in again. Readers
 * of a feed whose cursor is beyond the backup would miss new events: they get 410 and start again.
 */
export const restoreSteps: readonly RestoreStep[] = [
  {
    sql: `CREATE TEMP TABLE ledger ON COMMIT DROP AS
      SELECT hash
      FROM issuance.erased UNION
      SELECT hash
      FROM directory.erased`,
  },
  {
    sql: `CREATE TEMP TABLE gone ON COMMIT DROP AS
      SELECT org, id
      FROM (SELECT org, id
      FROM issuance.subject UNION ALL
      SELECT org, id
      FROM directory.person) everybody
      WHERE sha256(convert_to(org || '/' || id, 'UTF8')) IN (SELECT hash
      FROM ledger)`,
  },
  {
    what: 'customers',
    sql: `DELETE
      FROM issuance.subject s
      USING gone g
      WHERE s.id = g.id`,
  },
  {
    what: 'stored responses of customers',
    sql: `UPDATE issuance.idempotency i
      SET fingerprint = NULL, response = NULL, subject = NULL
      FROM gone g
      WHERE i.subject = g.id`,
  },
  {
    what: 'events of customers',
    sql: `DELETE
      FROM issuance.outbox o
      USING gone g
      WHERE o.aggregate = g.id::text`,
  },
  {
    what: 'people',
    sql: `DELETE
      FROM directory.person p
      USING gone g
      WHERE p.id = g.id`,
  },
  {
    what: 'stored responses about people',
    sql: `UPDATE directory.idempotency i
      SET fingerprint = NULL, response = NULL, subject = NULL
      FROM gone g
      WHERE i.subject = g.id`,
  },
  {
    what: 'stored responses of people',
    sql: `DELETE
      FROM directory.idempotency i
      USING gone g
      WHERE i.app = g.id::text`,
  },
  {
    what: 'events of people',
    sql: `DELETE
      FROM directory.outbox o
      USING gone g
      WHERE o.aggregate = g.id::text`,
  },
  {
    what: 'revocations of people',
    sql: `UPDATE directory.access_change c
      SET kind = 'organization', id = ''
      FROM gone g
      WHERE c.kind = 'person' AND c.id = g.id::text`,
  },
  {
    what: 'rows of the read model',
    sql: `UPDATE subjects.subject
      SET org = NULL, app = NULL, subject = NULL, created_at = NULL, claimed = NULL, state = NULL, erased_at = now()
      WHERE key IN (SELECT hash
      FROM ledger) AND erased_at IS NULL`,
  },
  {
    what: 'sessions, grants and tokens',
    sql: `DELETE
      FROM auth.oidc_state`,
  },
  {
    what: 'logout notifications',
    sql: `DELETE
      FROM auth.logout_notification`,
  },
  {
    what: 'revocations of sessions',
    sql: `INSERT INTO auth.session_revocation (key, at, erased)
      SELECT sha256(convert_to(org || '/' || id, 'UTF8')), now(), true
      FROM gone
      ON CONFLICT (key) DO UPDATE
      SET at = excluded.at, erased = true`,
  },
  {
    what: 'tombstones of the audit log',
    sql: `INSERT INTO audit.erased (key)
      SELECT hash
      FROM ledger
      ON CONFLICT DO NOTHING`,
  },
  {
    what: 'tombstones of values in the audit log',
    sql: `INSERT INTO audit.erased (key)
      SELECT sha256(convert_to(p.org || '/' || v, 'UTF8'))
      FROM audit.pseudonym_mapping p
      JOIN gone g ON p.org = g.org AND p.data_subject = g.id::text,
      LATERAL (VALUES (p.value), (p.data_subject)) x (v)
      ON CONFLICT DO NOTHING`,
  },
  {
    what: 'pseudonym mappings',
    sql: `DELETE
      FROM audit.pseudonym_mapping p
      USING gone g
      WHERE p.org = g.org AND p.data_subject = g.id::text`,
  },
  {
    what: 'personal data keys',
    sql: `DELETE
      FROM audit.personal_data_key k
      USING gone g
      WHERE k.org = g.org AND k.data_subject = g.id::text`,
  },
  {
    what: 'events of feeds',
    sql: `DELETE
      FROM signals.event
      WHERE type NOT IN ('subject.erased', 'user.removed') AND key IN (SELECT hash
      FROM ledger)`,
  },
  {
    what: 'waiting events of feeds',
    sql: `DELETE
      FROM signals.early_event
      WHERE key IN (SELECT hash
      FROM ledger)`,
  },
  {
    what: 'tombstones of feeds',
    sql: `UPDATE signals.aggregate
      SET erased_at = now()
      WHERE key IN (SELECT hash
      FROM ledger) AND erased_at IS NULL`,
  },
  {
    what: 'feeds',
    sql: `UPDATE signals.head
      SET seq = seq + 1000000, removed = seq + 1000000`,
  },
];
