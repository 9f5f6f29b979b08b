import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactRange } from './compact-range.js';
import { consistencyProof, verifyConsistency } from './consistency.js';
import { inclusionProof, verifyInclusion } from './inclusion.js';
import type { ReadHashes } from './subtrees.js';
import { leafHash } from './tree.js';
import { hashesOf, leaves, reference } from './vectors.fixture.js';

const most = 260;
const hashes = hashesOf(most);
const roots = Array.from({ length: most + 1 }, (_, n) => reference.root(hashes.slice(0, n)));

/** A store of perfect subtrees only, as a log has it: a proof that needs another subtree fails. */
function stored(of: readonly Buffer[]) {
  const nodes = new Map<string, Buffer>();
  const range = CompactRange.empty();
  for (const hash of of) range.append(hash, (level, index, node) => nodes.set(`${level}/${index}`, node));
  let reads = 0;
  const read: ReadHashes = (subtrees) => {
    reads++;
    return Promise.resolve(subtrees.map(({ level, index }) => nodes.get(`${level}/${index}`) ?? Buffer.alloc(0)));
  };
  return { read, reads: () => reads };
}

const { read } = stored(hashes);
const flip = (hash: Buffer, bit: number) => {
  const copy = Buffer.from(hash);
  copy[Math.floor(bit / 8) % 32]! ^= 1 << (bit % 8);
  return copy;
};
const sizeAndIndex = fc.integer({ min: 1, max: most }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
const twoSizes = fc
  .integer({ min: 1, max: most })
  .chain((to) => fc.tuple(fc.integer({ min: 1, max: to }), fc.constant(to)));

describe('inclusion', () => {
  test('of every leaf of every tree up to 33 leaves: equals and verifies as the slow reference does', async () => {
    for (let size = 1; size <= 33; size++) {
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(index, size, read);
        expect(proof).toEqual(reference.path(index, hashes.slice(0, size)));
        expect(verifyInclusion({ index, size, leafHash: hashes[index]!, proof, root: roots[size]! })).toBe(true);
      }
    }
  });

  test('of random trees verifies, and is rejected with one bit, index, size or hash changed', async () => {
    await fc.assert(
      fc.asyncProperty(sizeAndIndex, fc.nat(255), fc.nat(), async ([size, index], bit, at) => {
        const proof = await inclusionProof(index, size, read);
        const good = { index, size, leafHash: hashes[index]!, proof, root: roots[size]! };
        expect(proof).toEqual(reference.path(index, hashes.slice(0, size)));
        expect(verifyInclusion(good)).toBe(true);
        const bad = [
          { leafHash: flip(good.leafHash, bit) },
          { root: flip(good.root, bit) },
          { leafHash: good.leafHash.subarray(1) },
          { index: (index + 1 + (at % size)) % (size + 1) },
          { index: -1 },
          { index: index + 0.5 },
          { index: NaN },
          { proof: [...proof, good.root] },
          { proof: [good.leafHash, ...proof] },
          ...(proof.length > 0
            ? [
                { proof: proof.slice(1) },
                { proof: proof.slice(0, -1) },
                { proof: proof.with(at % proof.length, flip(proof[at % proof.length]!, bit)) },
              ]
            : []),
        ].filter((change) => !('index' in change) || change.index !== index);
        for (const change of bad) expect([change, verifyInclusion({ ...good, ...change })]).toEqual([change, false]);
      }),
      { numRuns: 200 },
    );
  });

  test('does not verify with the size and root of another tree', async () => {
    for (let size = 1; size <= 16; size++) {
      for (let claimed = 0; claimed <= 33; claimed++) {
        if (claimed === size) continue;
        const proof = await inclusionProof(0, size, read);
        // The length of a path is the height of the tree. With another height it cannot verify, and with the same
        // height it does not prove another root.
        const verdict = verifyInclusion({
          index: 0,
          size: claimed,
          leafHash: hashes[0]!,
          proof,
          root: roots[claimed]!,
        });
        expect([size, claimed, verdict]).toEqual([size, claimed, false]);
      }
    }
  });

  test('reads once, and only hashes that exist', async () => {
    const log = stored(hashes.slice(0, 199));
    await inclusionProof(77, 199, log.read);
    expect(log.reads()).toBe(1);
    await expect(inclusionProof(199, 199, log.read)).rejects.toThrow('A tree of 199 leaves has none at index 199');
    await expect(inclusionProof(0, 0, log.read)).rejects.toThrow('1 or more');
  });
});

describe('consistency', () => {
  test('of every pair of sizes up to 33: equals and verifies as the slow reference does', async () => {
    for (let to = 1; to <= 33; to++) {
      for (let from = 1; from <= to; from++) {
        const proof = await consistencyProof(from, to, read);
        expect(proof).toEqual(from === to ? [] : reference.subproof(from, hashes.slice(0, to), true));
        expect(verifyConsistency({ from, to, fromRoot: roots[from]!, toRoot: roots[to]!, proof })).toBe(true);
      }
    }
  });

  test('of random pairs of sizes verifies, and is rejected with one bit, size or hash changed', async () => {
    await fc.assert(
      fc.asyncProperty(twoSizes, fc.nat(255), fc.nat(), async ([from, to], bit, at) => {
        const proof = await consistencyProof(from, to, read);
        const good = { from, to, fromRoot: roots[from]!, toRoot: roots[to]!, proof };
        expect(verifyConsistency(good)).toBe(true);
        const bad = [
          { fromRoot: flip(good.fromRoot, bit) },
          { toRoot: flip(good.toRoot, bit) },
          { toRoot: good.toRoot.subarray(1) },
          { from: to + 1 },
          { from: -1 },
          { from: 0 },
          { to: NaN },
          { from: from + 0.5 },
          { proof: [...proof, good.fromRoot] },
          ...(proof.length > 0
            ? [
                { proof: [] },
                { proof: proof.slice(1) },
                { proof: proof.slice(0, -1) },
                { proof: proof.with(at % proof.length, flip(proof[at % proof.length]!, bit)) },
              ]
            : []),
        ];
        for (const change of bad) expect([change, verifyConsistency({ ...good, ...change })]).toEqual([change, false]);
      }),
      { numRuns: 200 },
    );
  });

  test('a fork is not a continuation, whatever proof either of the two logs gives', async () => {
    await fc.assert(
      fc.asyncProperty(twoSizes, fc.nat(), async ([from, to], at) => {
        const fork = hashes.slice(0, to).with(at % from, reference.leaf(Buffer.from('another entry')));
        const other = stored(fork);
        const toRoot = reference.root(fork);
        for (const log of [read, other.read]) {
          const proof = await consistencyProof(from, to, log);
          expect(verifyConsistency({ from, to, fromRoot: roots[from]!, toRoot, proof })).toBe(false);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('equals the test vectors of RFC 6962', async () => {
    const tree = leaves.map(leafHash);
    const log = stored(tree);
    const hex = async (from: number, to: number) =>
      (await consistencyProof(from, to, log.read)).map((hash) => hash.toString('hex'));
    expect(await hex(1, 1)).toEqual([]);
    expect(await hex(1, 8)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(await hex(6, 8)).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(log.reads()).toBe(2);
  });

  test('every log continues the empty one; none continues a longer one', async () => {
    expect(await consistencyProof(0, 5, read)).toEqual([]);
    expect(verifyConsistency({ from: 0, to: 5, fromRoot: roots[0]!, toRoot: roots[5]!, proof: [] })).toBe(true);
    await expect(consistencyProof(6, 5, read)).rejects.toThrow('A tree of 5 leaves cannot continue one of 6');
  });
});
