import { describe, expect, it } from '@jest/globals';
import { childOf, newTrace } from './trace.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('childOf', () => {
  it("continues the caller's trace with a new span", () => {
    expect(childOf(`00-${trace}-00f067aa0ba902b7-01`)?.traceparent).toMatch(
      new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    );
  });

  it.each([
    undefined,
    '',
    'x',
    `00-${trace}-00f067aa0ba902b7`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-00f067aa0ba902b7-01`,
  ])('does not continue %j', (given) => {
    expect(childOf(given)).toBeUndefined();
    expect(newTrace().traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});
