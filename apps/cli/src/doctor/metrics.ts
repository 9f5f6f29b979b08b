import type { ServiceName } from '@holdfast/contracts';
import type { Finding } from './finding.js';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  name: string;
  labels: Labels;
  value: number;
}

/** Two readings of the metrics of a replica, about a second apart. */
export interface Readings {
  before: string;
  now: string;
  /** For how long the process has run. */
  uptimeMinutes: number;
}

/** What a metric says when its value is above a limit: the same limits as those of the alerts (docs/runbook.md). */
interface Condition {
  metric: string;
  /** Only samples with these labels. */
  labels?: Labels;
  above: number;
  /** The value covers the time since it was read last. Others are states, which count when both readings show them. */
  sinceRead?: true;
  /** The metric counts since the process started, and its alert looks back so far. */
  countedMinutes?: number;
  /** `failed` if something does not work, `warning` if it may be normal. */
  result: 'failed' | 'warning';
  detail: (value: number, labels: Labels) => string;
  alert: string;
}

const otherKeys = (of: string) => (value: number) =>
  `${value} ${of} are not encrypted with the current KEY_ENCRYPTION_KEY: a rotation is in progress, or stuck`;
const waits = (what: string) => (value: number) => `the oldest ${what} has waited for ${seconds(value)} s`;
const seconds = (value: number): string => value.toFixed(0);

const conditions: readonly Condition[] = [
  {
    metric: 'holdfast_test_clock_offset_seconds',
    above: 0,
    result: 'failed',
    detail: (value) => `its clock is shifted by ${seconds(value)} s for tests (HOLDFAST_TEST_CLOCK)`,
    alert: 'TestClock',
  },
  {
    metric: 'nodejs_eventloop_lag_p99_seconds',
    above: 0.25,
    sinceRead: true,
    result: 'failed',
    detail: (value) => `its event loop is late by ${(value * 1000).toFixed(0)} ms (p99)`,
    alert: 'EventLoopLate',
  },
  {
    metric: 'holdfast_event_loop_utilization_ratio',
    above: 0.85,
    sinceRead: true,
    result: 'warning',
    detail: (value) => `its event loop is busy for ${(value * 100).toFixed(0)} % of the time`,
    alert: 'EventLoopBusy',
  },
  {
    metric: 'holdfast_unhandled_rejections_total',
    above: 0,
    countedMinutes: 10,
    result: 'failed',
    detail: (value) => `${value} rejected promises were not handled, a defect of this version`,
    alert: 'UnhandledRejection',
  },
  {
    metric: 'holdfast_database_waiting',
    above: 0,
    result: 'warning',
    detail: (value) => `${value} requests wait for a connection to PostgreSQL`,
    alert: 'DatabasePoolExhausted',
  },
  {
    metric: 'holdfast_bus_messages_dropped_total',
    above: 0,
    countedMinutes: 10,
    result: 'failed',
    detail: (value, { subject, reason }) =>
      `${value} messages to ${subject} were dropped because of their ${reason}, since somebody else publishes on NATS`,
    alert: 'BusMessagesDropped',
  },
  {
    metric: 'holdfast_logout_notifications_total',
    labels: { outcome: 'given up' },
    above: 0,
    countedMinutes: 60,
    result: 'failed',
    detail: (value) => `${value} notices of a logout were given up, because an app did not accept them`,
    alert: 'LogoutGivenUp',
  },
  {
    metric: 'holdfast_webhook_oldest_ready_seconds',
    above: 300,
    result: 'failed',
    detail: waits('message of a webhook'),
    alert: 'WebhooksBehind',
  },
  {
    metric: 'holdfast_ssf_oldest_ready_seconds',
    above: 300,
    result: 'failed',
    detail: waits('security event'),
    alert: 'SecurityEventsBehind',
  },
  {
    metric: 'holdfast_feed_early_events',
    above: 0,
    result: 'warning',
    detail: (value) => `${value} events of the feed wait for those before them`,
    alert: 'FeedEventsWait',
  },
  {
    metric: 'holdfast_records_pending',
    above: 0,
    result: 'warning',
    detail: (value) => `${value} audit records of committed changes are not appended yet`,
    alert: 'AuditRecordsPending',
  },
  {
    metric: 'holdfast_audit_unsigned_seconds',
    above: 60,
    result: 'failed',
    detail: (value) => `the newest entries of a log have had no checkpoint for ${seconds(value)} s`,
    alert: 'AuditLogUnsigned',
  },
  {
    metric: 'holdfast_analytics_stalled_seconds',
    above: 300,
    result: 'failed',
    detail: (value) => `no further entry of a log has been counted for ${seconds(value)} s`,
    alert: 'AnalyticsStalled',
  },
  {
    metric: 'holdfast_audit_destinations_failing',
    above: 0,
    result: 'failed',
    detail: (value, { kind, destination }) =>
      `${value} destinations of audit logs (${kind}, of ${destination}) do not accept entries`,
    alert: 'AuditDestinationBehind',
  },
  {
    metric: 'holdfast_audit_destination_lag_seconds',
    above: 900,
    result: 'failed',
    detail: (value, { kind, destination }) =>
      `a destination of audit logs (${kind}, of ${destination}) has been behind for ${seconds(value)} s`,
    alert: 'AuditDestinationBehind',
  },
  {
    metric: 'holdfast_audit_stream_unpublished_entries',
    above: 0,
    result: 'failed',
    detail: (value) => `the stream of entries lacks ${value} entries that readers wait for`,
    alert: 'AuditStreamBehind',
  },
  {
    metric: 'holdfast_audit_encrypted_with_other_keys',
    above: 0,
    result: 'warning',
    detail: otherKeys('keys and records of the audit log'),
    alert: 'ReEncryptionStuck',
  },
  {
    metric: 'holdfast_directory_encrypted_with_other_keys',
    above: 0,
    result: 'warning',
    detail: otherKeys('keys of people'),
    alert: 'ReEncryptionStuck',
  },
  {
    metric: 'holdfast_organization_deletion_overdue_seconds',
    above: 86_400,
    result: 'failed',
    detail: (value) =>
      `an organization could have been deleted ${(value / 86_400).toFixed(0)} days ago: holdfast org list names it, ` +
      'and holdfast org purge deletes it',
    alert: 'OrganizationDeletionOverdue',
  },
];

const watched = new Set(conditions.map(({ metric }) => metric));

/** What the metrics of a replica say is wrong now, and as a warning what was since it started. */
export function metricFindings(service: ServiceName, { before, now, uptimeMinutes }: Readings): Finding[] {
  const earlier = new Map(samplesOf(before).map((sample) => [keyOf(sample), sample.value]));
  const samples = samplesOf(now);
  return conditions.flatMap((condition) => {
    const { metric, labels = {}, above, sinceRead, countedMinutes, detail, alert } = condition;
    const isOf = (sample: Sample) =>
      sample.name === metric && Object.entries(labels).every(([name, value]) => sample.labels[name] === value);
    return samples.filter(isOf).flatMap((sample): Finding[] => {
      const { value } = sample;
      const valueBefore = earlier.get(keyOf(sample)) ?? 0;
      const lowest = !sinceRead && countedMinutes === undefined ? Math.min(value, valueBefore) : value;
      if (lowest <= above) return [];
      const risen = value - valueBefore;
      // How long ago it rose is not known of a process that has run for longer than the alert looks back.
      const isPast = countedMinutes !== undefined && risen === 0 && uptimeMinutes > countedMinutes;
      const since =
        countedMinutes === undefined
          ? ''
          : `: since it started ${uptimeMinutes.toFixed(0)} minutes ago, ${risen || 'none'} of them in the last second`;
      return [
        {
          check: service,
          result: isPast ? 'warning' : condition.result,
          detail: detail(value, sample.labels) + since,
          advice: `See Holdfast${alert} under "Alerts" in the runbook.`,
        },
      ];
    });
  });
}

const keyOf = ({ name, labels }: Sample): string => `${name} ${JSON.stringify(labels)}`;

/** The samples that have a condition, in Prometheus' text format. */
function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (!watched.has(name)) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label!, of!] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}
