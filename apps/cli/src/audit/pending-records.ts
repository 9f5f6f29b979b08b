import type pg from 'pg';
import type { Action, AuditRecord } from '@holdfast/contracts';
import { auditRecord } from '@holdfast/platform';
import { operatorContext } from '../operator-session.js';

/** What a command of the owner did in an organization. */
export function ownerRecord(
  command: string,
  org: string,
  action: Action,
  changes?: NonNullable<AuditRecord['changes']>,
): AuditRecord {
  return auditRecord(operatorContext(command, org), new Date(), {
    action,
    targets: [{ type: 'organization', id: org }],
    outcome: { result: 'success' },
    ...(changes && { changes }),
  });
}

/**
 * Records what a command did as the owner of the database, within its transaction. The records are due at once: audit
 * appends each to the log of its organization within a second, or when it starts.
 */
export async function addPendingRecords(
  client: pg.Client,
  records: readonly { org: string; record: AuditRecord }[],
): Promise<void> {
  await client.query(
    `INSERT INTO audit.pending_record (org, id, record, due_at)
     SELECT org, id, record, 'epoch' FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r (org, id, record)`,
    [
      records.map(({ org }) => org),
      records.map(({ record }) => record.id),
      records.map(({ record }) => JSON.stringify(record)),
    ],
  );
}
