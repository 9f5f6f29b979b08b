import type { AccessEntry } from '@holdfast/contracts';

/** Twice the lifetime of an access token: a change that is older than this affects no valid token. */
export const retention = `interval '20 minutes'`;

export interface EntryRow {
  seq: number;
  kind: AccessEntry['kind'];
  id: string;
  disabled: boolean;
  min_version: number;
  revoked: string[];
}

/**
 * The access state of the apps, organizations and people that `ids` (seq, kind, id) names. It is part of a larger
 * statement, so that entries and seq come from one snapshot.
 */
export const entries = `
  SELECT i.seq, 'app' AS kind, a.client_id AS id, a.disabled, a.min_version,
    ARRAY(SELECT s.id FROM app_secret s
      WHERE s.client_id = a.client_id AND s.revoked_at > now() - ${retention}
      UNION ALL
      SELECT k.id FROM app_removed_key k
      WHERE k.client_id = a.client_id AND k.removed_at > now() - ${retention}) AS revoked
  FROM ids i JOIN app a ON i.kind = 'app' AND a.client_id = i.id
  UNION ALL
  SELECT i.seq, 'organization', o.short_id, o.suspended, 0, '{}'::text[]
  FROM ids i JOIN organization o ON i.kind = 'organization' AND o.short_id = i.id
  UNION ALL
  SELECT i.seq, 'person', i.id, p.status IS DISTINCT FROM 'active', coalesce(p.min_version, 0), '{}'::text[]
  FROM ids i LEFT JOIN person p ON p.id = CASE WHEN i.kind = 'person' THEN i.id::uuid END WHERE i.kind = 'person'`;

export function toEntry({ seq, kind, id, disabled, min_version, revoked }: EntryRow): AccessEntry {
  return { seq, kind, id, disabled, minVersion: min_version, revokedSecrets: revoked };
}
