import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import type { PoolState } from '@holdfast/data';

export { register };

export const unhandledRejections = new Counter({
  name: 'holdfast_unhandled_rejections_total',
  help: 'Errors of background tasks that nothing handles; each is a bug, and the log has its stack',
});

export const jobRuns = new Counter({
  name: 'holdfast_job_runs_total',
  help: 'Runs of periodic jobs by outcome: succeeded or failed',
  labelNames: ['job', 'outcome'],
});

export const jobSeconds = new Histogram({
  name: 'holdfast_job_seconds',
  help: 'Duration of the runs of periodic jobs',
  labelNames: ['job'],
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 10, 60],
});

export const jobLastSuccess = new Gauge({
  name: 'holdfast_job_last_success_timestamp_seconds',
  help: 'Unix time at which a periodic job last succeeded in this process',
  labelNames: ['job'],
});

export const jobLastFailure = new Gauge({
  name: 'holdfast_job_last_failure_timestamp_seconds',
  help: 'Unix time at which a run of a periodic job last failed in this process',
  labelNames: ['job'],
});

export const clockOffset = new Gauge({
  name: 'holdfast_clock_offset_seconds',
  help:
    "By how much the clock of this machine is ahead of PostgreSQL's (`postgres`) and of the median of the other " +
    "services' machines (`peers`); a lower bound",
  labelNames: ['reference'],
});

export const testClockOffset = new Gauge({
  name: 'holdfast_test_clock_offset_seconds',
  help: 'Shift of the clock by HOLDFAST_TEST_CLOCK; 0 outside tests',
});

let lastUtilization = performance.eventLoopUtilization();
new Gauge({
  name: 'holdfast_event_loop_utilization_ratio',
  help: 'Share of the time since the last scrape in which the event loop was busy, 0 to 1',
  collect() {
    const current = performance.eventLoopUtilization();
    this.set(performance.eventLoopUtilization(current, lastUtilization).utilization);
    lastUtilization = current;
  },
});

/** Use of a pool of database connections. `state` is read at each scrape. */
export function observePool(state: () => PoolState): void {
  poolState = state;
}

let poolState: (() => PoolState) | undefined;
new Gauge({
  name: 'holdfast_database_connections',
  help: 'Connections to the database, by state: `used` by a statement or transaction, or `idle`',
  labelNames: ['state'],
  collect() {
    if (!poolState) return;
    this.set({ state: 'used' }, poolState().used);
    this.set({ state: 'idle' }, poolState().idle);
  },
});
new Gauge({
  name: 'holdfast_database_connections_max',
  help: 'How many connections to the database this process may have (DATABASE_POOL)',
  collect() {
    this.set(poolState?.().max ?? 0);
  },
});
new Gauge({
  name: 'holdfast_database_waiting',
  help: 'Statements and transactions that wait for a connection of the pool',
  collect() {
    this.set(poolState?.().waiting ?? 0);
  },
});

/**
 * How often the delay of the event loop is measured. prom-client's 10 ms wake an idle process a hundred times a second
 * for it, a fifth of what it then uses. A measured delay contains this time; the alert begins 150 ms above it.
 */
const eventLoopPrecisionMs = 100;

export function startDefaultMetrics(): void {
  if (!register.getSingleMetric('process_cpu_user_seconds_total'))
    collectDefaultMetrics({ eventLoopMonitoringPrecision: eventLoopPrecisionMs });
}

/**
 * The delay of the event loop is reported since it was read last. Loading the modules and connecting delay it by half a
 * second, which would be the first value that is read: an incident that was none.
 */
export async function discardDelayOfStart(): Promise<void> {
  await register.getSingleMetric('nodejs_eventloop_lag_seconds')?.get();
}
