import { expect, test } from '@jest/globals';
import { metric } from './metrics.ts';

test('finds the value of a metric, and 0 for an absent one', () => {
  const text =
    '# HELP made_total Things\n# TYPE made_total counter\nmade_total 12\nmade_total_more 3\nkept{service="auth"} 4.5\n';
  expect(['made_total', 'kept', 'absent'].map((name) => metric(text, name))).toEqual([12, 4.5, 0]);
});
