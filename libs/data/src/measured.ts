import { inSpan, LatencyHistogram, secondsSince } from '@holdfast/platform';
import { throwDriverError } from './pg-errors.js';
import { spanOf } from './query-spans.js';

const querySeconds = new LatencyHistogram({
  name: 'holdfast_database_query_seconds',
  help: 'Duration of named statements as this service sees it, with the wait for a connection, by outcome',
  labelNames: ['outcome'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

/** Runs a statement in its span, and measures it. */
export function measured<T>(statement: string, query: () => Promise<T>): Promise<T> {
  return inSpan(
    () => spanOf(statement),
    async () => {
      const startedAtMs = performance.now();
      let outcome = 'failed';
      try {
        const result = await query().catch(throwDriverError);
        outcome = 'succeeded';
        return result;
      } finally {
        querySeconds.observe({ outcome }, secondsSince(startedAtMs));
      }
    },
  );
}
