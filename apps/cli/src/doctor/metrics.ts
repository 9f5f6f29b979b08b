import type { ServiceName } from '@holdfast/contracts';
import type { Finding } from './finding.js';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  name: string;
  labels: Labels;
  value: number;
}

/** What a metric says when its value is above a limit: the same limits as those of the alerts (docs/runbook.md). */
interface Condition {
  metric: string;
  /** Only samples with these labels. */
  labels?: Labels;
  above: number;
  /** `failed` if something does not work now, `warning` if it happened since the process started, or may be normal. */
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
    result: 'failed',
    detail: (value) => `its event loop is late by ${(value * 1000).toFixed(0)} ms (p99)`,
    alert: 'EventLoopLate',
  },
  {
    metric: 'holdfast_event_loop_utilization_ratio',
    above: 0.85,
    result: 'warning',
    detail: (value) => `its event loop is busy for ${(value * 100).toFixed(0)} % of the time`,
    alert: 'EventLoopBusy',
  },
  {
    metric: 'holdfast_unhandled_rejections_total',
    above: 0,
    result: 'failed',
    detail: (value) => `${value} rejected promises were not handled since it started: a defect of this version`,
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
    result: 'failed',
    detail: (value, { subject, reason }) =>
      `${value} messages to ${subject} were dropped since it started, because of their ${reason}: somebody else ` +
      'publishes on NATS',
    alert: 'BusMessagesDropped',
  },
  {
    metric: 'holdfast_logout_notifications_total',
    labels: { outcome: 'given up' },
    above: 0,
    result: 'failed',
    detail: (value) => `${value} notices of a logout were given up since it started: an app did not accept them`,
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

/** What the metrics of a replica say is wrong now, or was since it started. */
export function metricFindings(service: ServiceName, metrics: string): Finding[] {
  const samples = samplesOf(metrics, new Set(conditions.map(({ metric }) => metric)));
  return conditions.flatMap(({ metric, labels = {}, above, result, detail, alert }) =>
    samples
      .filter(
        (sample) =>
          sample.name === metric &&
          sample.value > above &&
          Object.entries(labels).every(([name, value]) => sample.labels[name] === value),
      )
      .map((sample) => ({
        check: service,
        result,
        detail: detail(sample.value, sample.labels),
        advice: `See Holdfast${alert} under "Alerts" in the runbook.`,
      })),
  );
}

/** The samples of some metrics in Prometheus' text format. */
function samplesOf(text: string, names: ReadonlySet<string>): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (!names.has(name)) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label!, of!] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}
