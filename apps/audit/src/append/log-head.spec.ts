import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CompactRange, leafHash, rootOf } from '@holdfast/tlog';
import { monthOf } from '../retention/months.js';
import { emptyLogHead, LogGrowth, type LogHead } from './log-head.js';

const november = new Date('2026-11-30T23:59:59.999Z');
const hashes = (count: number) => Array.from({ length: count }, (_, i) => leafHash(Buffer.from(String(i))));

function grown(before: LogHead, times: number[], now = november) {
  const log = new LogGrowth('acme', before, now);
  times.forEach((time, i) => log.append(hashes(before.seq + i + 1)[before.seq + i]!, time));
  return log;
}

describe('the head of a log', () => {
  it('is the same for all divisions of the entries into batches', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }), (batches) => {
        let head = emptyLogHead;
        const subtrees: string[] = [];
        for (const count of batches) {
          const log = grown(
            head,
            Array.from({ length: count }, () => 0),
          );
          head = log.head();
          subtrees.push(...log.subtrees.map((s) => `${s.level}/${s.index}/${s.hash.toString('hex')}`));
        }
        const all = hashes(head.seq);
        expect(CompactRange.from(head.seq, head.range).root()).toEqual(rootOf(all));
        expect(subtrees).toEqual(
          Array.from(
            { length: Math.floor(head.seq / 256) },
            (_, i) => `1/${i}/${rootOf(all.slice(i * 256, (i + 1) * 256)).toString('hex')}`,
          ),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('contains the latest time, and by how much an entry came after a later one', () => {
    const log = grown(emptyLogHead, [1000, 5000, 2000, 6000, 6000]);
    expect(log.head()).toMatchObject({ seq: 5, latest: 6000, lateMs: 3000 });
    expect(grown(log.head(), [5500]).head()).toMatchObject({ latest: 6000, lateMs: 3000 });
  });

  it('gives a complete subtree the latest time up to its end', () => {
    const times = Array.from({ length: 300 }, (_, i) => i * 10);
    expect(grown(emptyLogHead, times).subtrees).toMatchObject([{ level: 1, index: 0, lastAt: 2550 }]);
  });

  it('keeps its month when the clock goes back, and until something has happened in another one', () => {
    expect(monthOf(november)).toBe(2026 * 12 + 10);
    const at = Date.parse('2026-11-30T22:00:00Z');
    const head = grown(emptyLogHead, [at]).head();
    expect(grown(head, [at], new Date('2026-10-01T00:00:00Z')).head().month).toBe(monthOf(november));
    const december = new Date('2026-12-01T02:00:00Z');
    expect(grown(head, [at], december).head().month).toBe(monthOf(november));
    const log = new LogGrowth('acme', head, december);
    const months = [at, december.getTime(), at].map((time, i) => log.append(hashes(3)[i]!, time));
    expect(months).toEqual([0, 1, 1].map((later) => monthOf(november) + later));
  });
});
