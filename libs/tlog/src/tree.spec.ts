import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactRange, rootOf } from './compact-range.js';
import { emptyRoot, leafHash, nodeHash } from './tree.js';
import { hashesOf, leaves, reference } from './vectors.fixture.js';

const roots: Record<number, string> = {
  0: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  1: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  2: 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  3: 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  4: 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  5: '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  6: '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  7: 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  8: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
};

describe('the tree of RFC 9162', () => {
  test.each(Object.entries(roots))('%s leaves of the test vectors', (n, root) => {
    expect(rootOf(leaves.slice(0, Number(n)).map(leafHash)).toString('hex')).toBe(root);
  });

  test('hashes entries of any length, one after the other', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (entry) => {
        expect(leafHash(entry)).toEqual(reference.leaf(entry));
      }),
      { numRuns: 50 },
    );
  });

  test('does not change a returned hash later', () => {
    const first = leafHash(Buffer.from('a'));
    const copy = Buffer.from(first);
    nodeHash(first, leafHash(Buffer.from('b')));
    expect(first).toEqual(copy);
  });
});

describe('a compact range', () => {
  test('has the root of the slow reference at each size', () => {
    const hashes = hashesOf(130);
    const range = CompactRange.empty();
    expect(range.root()).toEqual(emptyRoot);
    hashes.forEach((hash, i) => {
      expect(range.append(hash).root()).toEqual(reference.root(hashes.slice(0, i + 1)));
    });
  });

  test('continues from its bytes, and reports each subtree once', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), (before, after) => {
        const hashes = hashesOf(before + after);
        const hashesByPosition = new Map<string, Buffer>();
        const completed = (level: number, index: number, hash: Buffer) => {
          expect(hashesByPosition.has(`${level}/${index}`)).toBe(false);
          hashesByPosition.set(`${level}/${index}`, hash);
        };
        const first = CompactRange.empty();
        for (const hash of hashes.slice(0, before)) first.append(hash, completed);
        const second = CompactRange.from(before, first.toBytes());
        for (const hash of hashes.slice(before)) second.append(hash, completed);
        expect(second.size).toBe(before + after);
        expect(second.root()).toEqual(reference.root(hashes));
        for (const [position, hash] of hashesByPosition) {
          const [level = 0, index = 0] = position.split('/').map(Number);
          expect(hash).toEqual(reference.root(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level)));
        }
      }),
      { numRuns: 20 },
    );
  });

  test('rejects bytes of another size', () => {
    const bytes = CompactRange.empty().append(hashesOf(1)[0]!).toBytes();
    expect(CompactRange.from(2 ** 40, bytes).size).toBe(2 ** 40);
    for (const size of [0, 3, -1, 1.5, NaN, 2 ** 53]) expect(() => CompactRange.from(size, bytes)).toThrow(RangeError);
    expect(() => CompactRange.empty().append(Buffer.alloc(31))).toThrow('32 bytes');
  });
});
