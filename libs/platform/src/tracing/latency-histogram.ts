import {
  Histogram,
  openMetricsContentType,
  register,
  type HistogramConfiguration,
  type ObserveDataWithExemplar,
  type OpenMetricsContentType,
  type Registry,
} from 'prom-client';
import { environmentWantsTraces } from './config.js';
import { exemplar } from './spans.js';

const withExemplars = environmentWantsTraces();

/**
 * A histogram of durations whose buckets have the trace of a recent observation as an exemplar, while traces are
 * exported. Then `/metrics` is in the format of OpenMetrics, since the older one has no exemplars.
 */
export class LatencyHistogram<Label extends string> {
  private readonly histogram: Histogram<Label>;

  constructor(configuration: HistogramConfiguration<Label>) {
    if (withExemplars) (register as unknown as Registry<OpenMetricsContentType>).setContentType(openMetricsContentType);
    this.histogram = new Histogram({ ...configuration, enableExemplars: withExemplars });
  }

  observe(labels: Record<Label, string | number>, seconds: number, exemplarLabels = exemplar()): void {
    if (!withExemplars) return this.histogram.observe(labels, seconds);
    // The types of prom-client demand the labels of the metric for the exemplar as well.
    this.histogram.observe({ labels, value: seconds, exemplarLabels } as ObserveDataWithExemplar<Label>);
  }
}

/** Seconds since a time of performance.now(). */
export function secondsSince(startedAtMs: number): number {
  return (performance.now() - startedAtMs) / 1000;
}
