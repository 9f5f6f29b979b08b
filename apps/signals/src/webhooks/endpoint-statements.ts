import { namedStatement, statement } from '@holdfast/data';
import { heldAfter } from './endpoint-makers.js';
import { shownColumns } from './endpoint.js';

export const select = statement(
  'webhook_endpoint_select',
  `SELECT ${shownColumns} FROM webhook_endpoint w LEFT JOIN audit_suspension s ON s.org = w.org
   WHERE w.org = $1 AND ($2::uuid IS NULL OR w.id = $2) ORDER BY w.created_at DESC, w.id DESC`,
);
export const lock = statement(
  'webhook_endpoint_lock',
  'SELECT * FROM webhook_endpoint WHERE org = $1 AND id = $2 FOR UPDATE',
);
/** Events that come to the feed from now on are sent. */
export const subscribe = statement('head_subscribe_webhooks', 'UPDATE head SET webhooks = true WHERE org = $1');
/** Takes the first free slot; without one no row is inserted. */
export const insert = namedStatement(
  'webhook_endpoint_insert',
  {
    slots: 'int',
    id: 'uuid',
    org: 'text',
    url: 'text',
    description: 'text',
    types: 'text[]',
    header_names: 'text[]',
    headers: 'bytea',
    secrets: 'bytea',
    signatures: 'text[]',
    rate_limit: 'int',
    maker_type: 'text',
    maker_id: 'text',
    maker_name: 'text',
    created_at: 'timestamptz',
  },
  ({ slots, ...row }) =>
    `INSERT INTO webhook_endpoint (${Object.keys(row).join(', ')}, slot)
   SELECT ${Object.values(row).join(', ')}, slot FROM generate_series(1, ${slots}::int) AS slot
    WHERE NOT EXISTS (SELECT FROM webhook_endpoint w WHERE w.org = ${row.org} AND w.slot = slot.slot)
    ORDER BY slot LIMIT 1
   ON CONFLICT (org, slot) DO NOTHING RETURNING id`,
);
/** The next attempts are made at once, with what is stored now. */
export const update = namedStatement(
  'webhook_endpoint_update',
  {
    id: 'uuid',
    url: 'text',
    description: 'text',
    types: 'text[]',
    header_names: 'text[]',
    headers: 'bytea',
    secrets: 'bytea',
    signatures: 'text[]',
    rate_limit: 'int',
    paused: 'boolean',
    paused_because: 'text',
    maker_type: 'text',
    maker_id: 'text',
    maker_name: 'text',
  },
  ({ id, ...row }) => {
    const changed = Object.entries(row).map(([column, value]) => `${column} = ${value}`);
    return `UPDATE webhook_endpoint w SET ${changed.join(', ')}, version = version + 1, retry_at = NULL,
        held_after = CASE WHEN ${row.paused} THEN ${heldAfter('w')} ELSE held_after END
      WHERE id = ${id}`;
  },
);
/** Its failures of before count no more, so that it is not disabled again by the next one. */
export const enable = statement(
  'webhook_endpoint_enable',
  `UPDATE webhook_endpoint SET disabled_at = NULL, disabled_because = NULL, failures = 0, failing_since = NULL,
     retry_at = NULL WHERE id = $1`,
);
/** What waits is sent now. By a new lease, an attempt that still runs changes nothing any more. */
export const dueNow = statement(
  'webhook_delivery_due_now',
  `UPDATE webhook_delivery SET due_at = $2 WHERE endpoint = $1 AND status = 'pending' AND NOT leased AND due_at > $2`,
);
export const skip = statement(
  'webhook_delivery_skip',
  `UPDATE webhook_delivery SET status = 'skipped', lease = lease + 1, leased = false
    WHERE endpoint = $1 AND status = 'pending'`,
);
/** Events until now are left out: the lock of the feed is held. */
export const holdNothing = statement(
  'webhook_endpoint_hold_nothing',
  'UPDATE webhook_endpoint SET held_after = NULL WHERE id = $1',
);
/** Its messages are shown no more, and a job deletes them: there may be millions. */
export const remove = statement('webhook_endpoint_delete', 'DELETE FROM webhook_endpoint WHERE id = $1');
/** An organization without endpoints pays nothing for the next events. */
export const unsubscribe = statement(
  'head_unsubscribe_webhooks',
  `UPDATE head SET webhooks = false
    WHERE org = $1 AND NOT EXISTS (SELECT FROM webhook_endpoint WHERE org = $1)`,
);
