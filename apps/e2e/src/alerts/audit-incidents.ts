// Incidents of the audit log, of encrypted rows and of jobs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseRole } from '@holdfast/contracts';
import type { Client } from '../clients/client.ts';
import { query } from '../stack/database.ts';
import { alert, type Incident } from './incident.ts';
import { setLimits } from './stream-limits.ts';

let damaged: Client;
/** Shortens or restores the log without its entries, as an old copy of the table would. */
const moveHead = (by: string) => `UPDATE audit.head SET seq = seq ${by} WHERE org = '${damaged.app.org}'`;

export const damagedLog: Incident = {
  name: 'the newest entry of an audit log is missing in its tree',
  async begin(world) {
    damaged = await world.otherClient();
    const { body } = await damaged.offer();
    await damaged.get(body.subject);
    await world.sql(moveHead('- 1'));
    await damaged.withdraw(body.offerId);
  },
  end: (world) => world.sql(moveHead('+ 1')),
  alerts: [alert('AuditLogBroken'), alert('AuditRecordsQuarantined'), alert('AuditLogUnsigned')],
  doctor: [
    /^audit: the audit log of .+ is broken and not signed/,
    /^undelivered rows: .+ audit records are quarantined/,
  ],
};

/** Tables with encrypted keys, and the row of each that is changed. */
const encrypted = [
  { table: 'audit.personal_data_key', column: 'key', id: '' },
  { table: 'directory.person', column: 'personal_data_key', id: '' },
];
/** Flips a bit of each key and of the id of what encrypted it, or flips them back. */
const flips = () => [
  'SET session_replication_role = replica',
  ...encrypted.map(
    ({ table, column, id }) =>
      `UPDATE ${table} SET ${column} = set_bit(${column}, 100, 1 - get_bit(${column}, 100)),
         encryption_key_id = set_bit(encryption_key_id, 0, 1 - get_bit(encryption_key_id, 0)) WHERE id = '${id}'`,
  ),
];

export const undecryptableRows: Incident = {
  name: 'no key of audit and directory decrypts a row',
  async begin(world) {
    for (const one of encrypted) {
      const [row] = await query<{ id: string }>(world.stack, `SELECT id FROM ${one.table} LIMIT 1`);
      one.id = row!.id;
    }
    await world.sql(...flips());
  },
  end: (world) => world.sql(...flips()),
  alerts: [alert('ReEncryptionStuck', { component: 'audit' }), alert('ReEncryptionStuck', { component: 'directory' })],
  doctor: [
    /^audit: .+ not encrypted with the current KEY_ENCRYPTION_KEY/,
    /^directory: .+ not encrypted with the current KEY_ENCRYPTION_KEY/,
  ],
};

const auditRole = databaseRole('audit');

export const uncountedLog: Incident = {
  name: 'audit may not write its roll-ups',
  begin: (world) => world.sql(`REVOKE INSERT ON audit.analytics_count FROM ${auditRole}`),
  end: (world) => world.sql(`GRANT INSERT ON audit.analytics_count TO ${auditRole}`),
  alerts: [alert('AnalyticsStalled')],
  doctor: [/^audit: no further entry of a log has been counted/],
  mayFollow: [alert('JobFails', { component: 'audit', exported_job: 'analytics' })],
};

let destination: { id: string };

export const failingReceiver: Incident = {
  name: 'the receiver of a destination of all organizations fails',
  async begin(world) {
    const { stack, failingUrl } = world;
    const file = join(stack.home, 'destination.json');
    writeFileSync(file, JSON.stringify({ kind: 'https', settings: { url: failingUrl }, after: 0 }));
    destination = await stack.operator('audit', 'destination', 'create', '--all', '--file', file);
    // As if the first attempts had failed an hour ago.
    const anHourAgo = `now() - interval '1 hour'`;
    await world.sql(
      `UPDATE signals.audit_delivery SET behind_since = ${anHourAgo} WHERE destination = '${destination.id}'`,
    );
  },
  end: ({ stack }) => stack.operator('audit', 'destination', 'delete', destination.id, '--all'),
  alerts: [alert('AuditDestinationBehind', { kind: 'https' })],
  doctor: [/^signals: 1 destinations of audit logs .+ do not accept entries/],
};

let reader: { id: string };

export const closedEntryStream: Incident = {
  name: 'JetStream stores no entry in AUDIT',
  async begin(world) {
    const { stack, shop } = world;
    await setLimits(stack, 'AUDIT', { max_msg_size: 16 });
    reader = await stack.operator('audit', 'reader', 'create', '--org', shop.app.org, '--after', '0');
  },
  async end({ stack, shop }) {
    await setLimits(stack, 'AUDIT', { max_msg_size: -1 });
    await stack.operator('audit', 'reader', 'delete', reader.id, '--org', shop.app.org);
  },
  alerts: [alert('AuditStreamBehind')],
  doctor: [/^audit: the stream of entries lacks/],
  mayFollow: [
    alert('JetStreamDoesNotStore', { stream: 'AUDIT' }),
    alert('JobFails', { component: 'audit', exported_job: 'entry_stream' }),
  ],
};

const role = databaseRole('directory');

export const forbiddenJob: Incident = {
  name: 'directory may not read its access requests',
  begin: (world) => world.sql(`REVOKE SELECT ON directory.access_request FROM ${role}`),
  end: (world) => world.sql(`GRANT SELECT ON directory.access_request TO ${role}`),
  alerts: [alert('JobFails', { component: 'directory', exported_job: 'access_request_expirations' })],
  doctor: [/^directory: the job access_request_expirations has failed for .+ permission denied/],
};

export const stoppedAudit: Incident = {
  name: 'audit is stopped',
  async begin({ stack, shop }) {
    await stack.control('stop', 'audit');
    await stack.operator('key', 'rotate', shop.app.org);
  },
  end: ({ stack }) => stack.control('start', 'audit'),
  alerts: [alert('ServiceDown', { component: 'audit' }), alert('AuditRecordsPending')],
  doctor: [/^audit: no replica announces itself/],
  explain: /[Aa]udit/,
  mayFollow: [
    alert('PodNotReady', { pod: 'audit-1' }),
    alert('JobFails', { component: 'auth', exported_job: 'record_outbox' }),
    alert('ConsumerLags', { consumer: 'audit' }),
    alert('OutboxNotConfirmed'),
    alert('ReadModelLate', { read_model: 'audit' }),
  ],
};

let forgotten: string;

export const forgottenDeletion: Incident = {
  name: 'nobody purges an organization whose grace period ended two days ago',
  async begin(world) {
    forgotten = (await world.otherClient()).app.org;
    await world.stack.operator('org', 'delete', forgotten, '--yes', '--grace-days', '0');
    await world.sql(`UPDATE directory.organization SET deletes_at = deletes_at - interval '2 days'
      WHERE short_id = '${forgotten}'`);
  },
  end: ({ stack }) => stack.operator('org', 'resume', forgotten),
  alerts: [alert('OrganizationDeletionOverdue')],
  doctor: [/^directory: an organization could have been deleted 2 days ago/],
};
