/** Values of series, a minute apart, in promtool's notation: `0+5x10` rises by 5, ten times. */
export type Series = Record<string, string>;

export interface Scenario {
  fires: Series;
  /** Close to firing. */
  silent: Series;
}

const hour = 'x60';
const requests = (errors: number): Series => ({
  'holdfast_http_requests_total{component="gateway", status="200"}': `0+${1000 - errors}${hour}`,
  'holdfast_http_requests_total{component="gateway", status="503"}': `0+${errors}${hour}`,
});
const latencies = (slow: number): Series => ({
  'holdfast_http_request_seconds_bucket{component="gateway", le="1"}': `0+${1000 - slow}${hour}`,
  'holdfast_http_request_seconds_count{component="gateway"}': `0+1000${hour}`,
});
const components = ['gateway', 'auth', 'issuance', 'subjects', 'audit', 'directory', 'signals'];
const up = (except?: string): Series =>
  Object.fromEntries(
    components.map((component) => [
      `up{component="${component}", namespace="a", pod="${component}-1"}`,
      `${component === except ? 0 : 1}${hour}`,
    ]),
  );
const gauge = (series: string, fires: number | string, silent: number | string): Scenario => ({
  fires: { [series]: `${fires}${hour}` },
  silent: { [series]: `${silent}${hour}` },
});
const counter = (series: string, silent = '3'): Scenario => ({
  fires: { [series]: `0+1${hour}` },
  silent: { [series]: `${silent}${hour}` },
});
const full = `${'32 31 32 31 '.repeat(14)}32 31 31`;
const publicEvents = (within5s: number): Series => ({
  'holdfast_feed_lag_seconds_bucket{le="5"}': `0+${within5s}${hour}`,
  'holdfast_feed_lag_seconds_bucket{le="10"}': `0+100${hour}`,
  'holdfast_feed_lag_seconds_bucket{le="+Inf"}': `0+100${hour}`,
});
const ready = (condition: 'true' | 'false'): Series => ({
  ...up(),
  'kube_pod_status_ready{namespace="a", pod="auth-1", condition="false"}': `${condition === 'false' ? 1 : 0}${hour}`,
});
const behind = (failing: number): Series => ({
  'holdfast_audit_destination_lag_seconds{kind="https", destination="organizations"}': `1000${hour}`,
  'holdfast_audit_destinations_failing{kind="https", destination="organizations"}': `${failing}${hour}`,
});
/** Unix times at which runs of an hourly job failed and succeeded last, in seconds of the scenario. */
const runs = (failed: string, succeeded: string): Series => ({
  'holdfast_job_last_failure_timestamp_seconds{component="audit", exported_job="checkpoints", pod="a"}': failed,
  'holdfast_job_last_success_timestamp_seconds{component="audit", exported_job="checkpoints", pod="b"}': succeeded,
});

/** For each alert, what makes it fire. */
export const scenarios: Record<string, Scenario> = {
  HoldfastAvailabilityBurnsFast: { fires: requests(20), silent: requests(5) },
  HoldfastAvailabilityBurnsSlow: { fires: requests(5), silent: requests(0) },
  HoldfastLatencyBurnsFast: { fires: latencies(200), silent: latencies(50) },
  HoldfastLatencyBurnsSlow: { fires: latencies(50), silent: latencies(5) },
  HoldfastServiceDown: { fires: up('subjects'), silent: up() },
  HoldfastPodNotReady: { fires: ready('false'), silent: ready('true') },
  HoldfastAuthReplicaDown: gauge('holdfast_auth_replica_up{replica="2"}', 0, 1),
  HoldfastRequestsRejected: {
    fires: { 'holdfast_admission_rejected_total{component="issuance", cause="overloaded"}': `0+60${hour}` },
    silent: { 'holdfast_admission_rejected_total{component="issuance", cause="overloaded"}': `0+3${hour}` },
  },
  HoldfastOutboxNotConfirmed: gauge('holdfast_outbox_unconfirmed{component="issuance"}', '5+1', '100 0 100-1'),
  // A full stream holds about as many events as before, whatever the consumer does not apply.
  HoldfastConsumerLags: gauge('holdfast_consumer_pending{stream="ISSUANCE", consumer="subjects"}', full, '100-1'),
  HoldfastStreamNearlyFull: {
    fires: { 'holdfast_stream_bytes{stream="S"}': `80${hour}`, 'holdfast_stream_max_bytes{stream="S"}': `100${hour}` },
    silent: { 'holdfast_stream_bytes{stream="S"}': `70${hour}`, 'holdfast_stream_max_bytes{stream="S"}': `100${hour}` },
  },
  HoldfastJetStreamDoesNotStore: gauge('holdfast_jetstream_stores{stream="ISSUANCE"}', 0, 1),
  HoldfastEventsNotStored: counter('holdfast_outbox_publish_failures_total{component="issuance"}'),
  HoldfastEventsQuarantined: gauge('holdfast_events_quarantined{stream="ISSUANCE", consumer="subjects"}', 1, 0),
  HoldfastEventsFail: counter('holdfast_events_consumed_total{component="audit", stream="S", outcome="failed"}'),
  HoldfastReadModelLate: {
    fires: { 'holdfast_read_model_wait_timeouts_total{read_model="subjects"}': `0+10${hour}` },
    silent: { 'holdfast_read_model_wait_timeouts_total{read_model="subjects"}': `0+1${hour}` },
  },
  HoldfastSecurityEventsBehind: {
    fires: { holdfast_ssf_oldest_ready_seconds: `400${hour}` },
    silent: { holdfast_ssf_oldest_ready_seconds: `2${hour}` },
  },
  HoldfastWebhooksBehind: {
    fires: { holdfast_webhook_oldest_ready_seconds: `400${hour}` },
    silent: { holdfast_webhook_oldest_ready_seconds: `2${hour}` },
  },
  HoldfastFeedLag: { fires: publicEvents(50), silent: publicEvents(99) },
  HoldfastFeedEventsWait: gauge('holdfast_feed_early_events', 3, '3 0 3 0'),
  // A series with a label begins with its first value.
  HoldfastBusMessagesDropped: {
    fires: { 'holdfast_bus_messages_dropped_total{component="audit", subject="s", reason="sender"}': '_x55 1x5' },
    silent: { 'holdfast_bus_messages_dropped_total{component="audit", subject="s", reason="sender"}': `1${hour}` },
  },
  HoldfastLogoutGivenUp: counter('holdfast_logout_notifications_total{component="auth", outcome="given up"}', '0'),
  HoldfastAuditLogBroken: gauge('holdfast_audit_logs_broken', 1, 0),
  HoldfastAuditLogUnsigned: gauge('holdfast_audit_unsigned_seconds', 90, 2),
  HoldfastAuditRecordsQuarantined: gauge('holdfast_audit_records_quarantined', 1, 0),
  HoldfastAuditRecordsPending: gauge('holdfast_records_pending', 1, 0),
  HoldfastAnalyticsStalled: gauge('holdfast_analytics_stalled_seconds', 400, 5),
  // Organizations mend their own receivers.
  HoldfastAuditDestinationBehind: {
    fires: behind(0),
    silent: behind(1),
  },
  HoldfastAuditStreamBehind: gauge('holdfast_audit_stream_unpublished_entries{component="audit"}', 3, '3 0 3 0'),
  HoldfastReEncryptionStuck: gauge('holdfast_audit_encrypted_with_other_keys{component="audit"}', 7, '100-1'),
  HoldfastClockWrong: gauge('holdfast_clock_offset_seconds{instance="a", reference="postgres"}', -2, 0.5),
  HoldfastCertificateEnds: gauge('holdfast_certificate_end_timestamp_seconds{use="http"}', 13 * 86_400, 20 * 86_400),
  // Times of scenarios begin at 0.
  HoldfastBackupOld: gauge(
    'kube_cronjob_status_last_successful_time{namespace="a", cronjob="holdfast-backup-dump"}',
    -40 * 3600,
    -30 * 3600,
  ),
  HoldfastErasureLedgerOld: gauge(
    'kube_cronjob_status_last_successful_time{namespace="a", cronjob="holdfast-backup-ledger"}',
    -4000,
    0,
  ),
  HoldfastTestClock: gauge('holdfast_test_clock_offset_seconds{instance="a"}', 3600, 0),
  // It fails at minute 10 and 70. In the silent one, the next replica succeeds ten minutes later.
  HoldfastJobFails: {
    fires: runs('0x9 600x49', '0x60'),
    silent: runs('0x9 600x49', '0x19 1200x39'),
  },
  HoldfastOrganizationDeletionOverdue: gauge('holdfast_organization_deletion_overdue_seconds', 90_000, 80_000),
  HoldfastUnhandledRejection: counter('holdfast_unhandled_rejections_total{component="auth"}'),
  HoldfastEventLoopLate: gauge('nodejs_eventloop_lag_p99_seconds{instance="a"}', 0.3, 0.05),
  HoldfastEventLoopBusy: gauge('holdfast_event_loop_utilization_ratio{component="gateway"}', 0.95, 0.7),
  HoldfastDatabasePoolExhausted: gauge('holdfast_database_waiting{instance="a"}', 4, '4 0 4 0'),
};
