import { collectDefaultMetrics, Counter, Gauge, register } from 'prom-client';

export { register };

export const unhandledRejections = new Counter({
  name: 'holdfast_unhandled_rejections_total',
  help: 'Errors in work that nobody waits for; each is a fault of ours, and the log has it',
});

export const clockOffset = new Gauge({
  name: 'holdfast_clock_offset_seconds',
  help: "By how much the clock of this machine is ahead of PostgreSQL's (`postgres`) and of the median of the other services' machines (`peers`), no more than is certain",
  labelNames: ['reference'],
});

export const testClockOffset = new Gauge({
  name: 'holdfast_test_clock_offset_seconds',
  help: 'By how much HOLDFAST_TEST_CLOCK makes the time wrong; anything but 0 is for tests only',
});

export function startDefaultMetrics(): void {
  if (!register.getSingleMetric('process_cpu_user_seconds_total')) collectDefaultMetrics();
}
