import { describe, expect, it } from '@jest/globals';
import { Batcher, halvesOf } from './batcher.js';

/** A batcher whose batches end when the test says so. */
function recorder(options: Partial<ConstructorParameters<typeof Batcher<number>>[1]> = {}) {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher<number>(
    (batch) => {
      batches.push(batch);
      return new Promise((resolve) => ends.push(resolve));
    },
    { maxItems: 3, ...options },
  );
  return { batcher, batches, end: () => ends.shift()!() };
}
/** Lets everything run that needs no timer. */
const turn = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a batcher', () => {
  it('writes items of one turn of the event loop together', async () => {
    const { batcher, batches } = recorder();
    [1, 2, 3].forEach((item) => batcher.add(item));
    expect(batches).toEqual([]);
    await turn();
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('writes what arrives during a batch as the next one, in order and limited in number', async () => {
    const { batcher, batches, end } = recorder();
    batcher.add(1);
    await turn();
    [2, 3, 4, 5].forEach((item) => batcher.add(item));
    await turn();
    expect([batches, batcher.waiting]).toEqual([[[1]], 4]);
    end();
    await turn();
    end();
    await turn();
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('limits the bytes of a batch, but writes a larger item alone', async () => {
    const { batcher, batches, end } = recorder({ maxBytes: 10, bytesOf: (item) => item });
    [4, 6, 1, 20, 1].forEach((item) => batcher.add(item));
    for (let i = 0; i < 4; i++) {
      await turn();
      end();
    }
    expect(batches).toEqual([[4, 6], [1], [20], [1]]);
  });

  it('writes a further batch beside one that is slow, and no third one', async () => {
    const { batcher, batches, end } = recorder({ maxInFlight: 2, slowAfterMs: 1 });
    const slow = () => new Promise((resolve) => setTimeout(resolve, 20)).then(turn);
    batcher.add(1);
    await slow();
    batcher.add(2);
    await slow();
    batcher.add(3);
    await slow();
    expect(batches).toEqual([[1], [2]]);
    end();
    await slow();
    expect(batches).toEqual([[1], [2], [3]]);
  });

  it('leaves out what nobody waits for any more', async () => {
    const obsolete = new Set<number>();
    const { batcher, batches, end } = recorder({ isObsolete: (item) => obsolete.has(item) });
    batcher.add(1);
    await turn();
    [2, 3, 4].forEach((item) => batcher.add(item));
    obsolete.add(2).add(4);
    end();
    await turn();
    expect(batches).toEqual([[1], [3]]);
  });

  it('goes on with items that are added while the last batch ends', async () => {
    const { batcher, batches, end } = recorder();
    for (let item = 1; item <= 3; item++) {
      batcher.add(item);
      await turn();
      end();
    }
    await turn();
    expect(batches).toEqual([[1], [2], [3]]);
  });
});

describe('halves of a batch', () => {
  it('are divided between groups, then between items, and one item is not divided', () => {
    const group = (item: string) => item[0]!;
    expect(halvesOf(['a1', 'b1', 'a2', 'c1'], group)).toEqual([
      ['a1', 'a2'],
      ['b1', 'c1'],
    ]);
    expect(halvesOf(['a1', 'a2', 'a3'], group)).toEqual([['a1'], ['a2', 'a3']]);
    expect(halvesOf([1, 2, 3])).toEqual([[1], [2, 3]]);
    expect(halvesOf(['a1'], group)).toEqual([['a1']]);
  });
});
