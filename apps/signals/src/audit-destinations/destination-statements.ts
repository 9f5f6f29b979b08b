import { namedStatement, statement } from '@holdfast/data';
import { deliverySums, shownColumns } from './destination.js';

export const select = statement(
  'audit_destination_select',
  `SELECT ${shownColumns} FROM audit_destination d ${deliverySums}
   WHERE d.org = $1 AND ($2::uuid IS NULL OR d.id = $2) ORDER BY d.created_at DESC, d.id DESC`,
);
export const lock = statement(
  'audit_destination_lock',
  'SELECT * FROM audit_destination WHERE org = $1 AND id = $2 FOR UPDATE',
);
/**
 * To be locked before the destination, as senders do, which move a delivery and then change its destination: PostgreSQL
 * would end one of two transactions that wait for each other.
 */
export const lockDeliveries = statement(
  'audit_delivery_lock',
  `SELECT FROM audit_delivery v
    WHERE v.destination = $2 AND EXISTS (SELECT FROM audit_destination WHERE org = $1 AND id = $2)
    ORDER BY v.org FOR UPDATE`,
);
/**
 * Takes the first free slot. When another request has taken it meanwhile, this one waits for its commit, and no row is
 * inserted.
 */
export const insert = namedStatement(
  'audit_destination_insert',
  {
    slots: 'int',
    id: 'uuid',
    org: 'text',
    kind: 'text',
    format: 'text',
    description: 'text',
    settings: 'json',
    credentials: 'bytea',
    created_at: 'timestamptz',
    maker_type: 'text',
    maker_id: 'text',
    maker_name: 'text',
    filter: 'json',
  },
  ({ slots, ...row }) =>
    `INSERT INTO audit_destination (${Object.keys(row).join(', ')}, slot, suspended, suspended_version)
   SELECT ${Object.values(row).join(', ')}, slot, coalesce(s.suspended, false), coalesce(s.version, 0)
     FROM generate_series(1, ${slots}::int) AS slot LEFT JOIN audit_suspension s ON s.org = ${row.org}
    WHERE NOT EXISTS (SELECT FROM audit_destination d WHERE d.org = ${row.org} AND d.slot = slot.slot)
    ORDER BY slot LIMIT 1
   ON CONFLICT (org, slot) DO NOTHING RETURNING id`,
);
export const insertDeliveries = statement(
  'audit_delivery_insert',
  `INSERT INTO audit_delivery (destination, org, after_seq, end_seq, behind_since)
   SELECT $1, l.org, l.after, l.end_seq, CASE WHEN l.end_seq > l.after THEN $5::timestamptz END
     FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS l(org, after, end_seq)
   ON CONFLICT DO NOTHING`,
);
/** The next attempt is made at once, with what is stored now. */
export const update = namedStatement(
  'audit_destination_update',
  {
    id: 'uuid',
    format: 'text',
    description: 'text',
    settings: 'json',
    credentials: 'bytea',
    paused: 'boolean',
    paused_because: 'text',
    maker_type: 'text',
    maker_id: 'text',
    maker_name: 'text',
    filter: 'json',
  },
  ({ id, ...row }) => {
    const changed = Object.entries(row).map(([column, value]) => `${column} = ${value}`);
    return `UPDATE audit_destination SET ${changed.join(', ')}, version = version + 1, retry_at = NULL
      WHERE id = ${id}`;
  },
);
/** By a new lease the sender that has the row moves it no further. */
export const rewind = statement(
  'audit_delivery_rewind',
  `UPDATE audit_delivery SET after_seq = least($2, greatest(end_seq, $4)), lease = lease + 1, leased_until = NULL,
     due_at = clock_timestamp(), behind_since = CASE WHEN end_seq > $2 THEN $3::timestamptz END
   WHERE destination = $1`,
);
export const remove = statement(
  'audit_destination_delete',
  `WITH deliveries AS (DELETE FROM audit_delivery WHERE destination = $1)
   DELETE FROM audit_destination WHERE id = $1`,
);
