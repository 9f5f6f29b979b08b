import { describe, expect, it } from '@jest/globals';
import { CustomerSketch } from './customer-sketch.js';

const sketchOf = (from: number, to: number): CustomerSketch => {
  const sketch = new CustomerSketch();
  for (let customer = from; customer < to; customer += 1) sketch.add(`customer ${customer}`);
  return sketch;
};

describe('CustomerSketch', () => {
  it.each([0, 1, 2, 10, 50])('counts %i customers exactly', (customers) => {
    expect(sketchOf(0, customers).estimate()).toBe(customers);
  });

  it.each([1000, 4000, 12_000, 50_000])('estimates %i customers within three standard errors', (customers) => {
    expect(Math.abs(sketchOf(0, customers).estimate() / customers - 1)).toBeLessThan(3 * 0.01625);
  });

  it('counts a customer once, however often they are added', () => {
    const sketch = sketchOf(0, 500);
    const before = sketch.toBytes();
    sketch.merge(sketchOf(0, 500).toBytes());
    expect(sketch.toBytes()).toEqual(before);
  });

  it.each([
    ['two sparse sketches', 100, 300],
    ['a sparse and a dense one', 5000, 5100],
    ['two dense ones', 12_000, 24_000],
  ])('is the same for the union of %s as for all customers at once', (_, middle, end) => {
    const union = CustomerSketch.from(sketchOf(0, middle).toBytes());
    union.merge(sketchOf(middle >> 1, end).toBytes());
    expect(union.toBytes()).toEqual(sketchOf(0, end).toBytes());
  });

  it('takes 3 bytes for each of few customers, and at most 4096 bytes', () => {
    expect(sketchOf(0, 10).toBytes()).toHaveLength(30);
    expect(sketchOf(0, 20_000).toBytes()).toHaveLength(4096);
  });
});
