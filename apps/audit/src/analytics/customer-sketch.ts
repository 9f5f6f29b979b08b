import { createHash } from 'node:crypto';

/** 2^12 registers: a standard error of 1.04 / √4096 = 1.6 %. */
const indexBits = 12;
const registers = 1 << indexBits;
const rankBits = 64 - indexBits;
/** A sparse sketch lists its registers that are not 0, three bytes each, while that is shorter than all of them. */
const sparseEntryBytes = 3;

/**
 * Estimates the number of different customers (HyperLogLog, Flajolet et al. 2007). It stores no customer, but for each
 * of 4096 classes of their hashes the most leading zeros. The union of two sketches is that of their customers.
 */
export class CustomerSketch {
  private readonly ranks = new Uint8Array(registers);

  static from(bytes: Uint8Array): CustomerSketch {
    const sketch = new CustomerSketch();
    sketch.merge(bytes);
    return sketch;
  }

  /** @param pseudonym of the log: a salted hash, so that no hash of a known id leads to the sketch */
  add(pseudonym: string): void {
    const hash = createHash('sha256').update(pseudonym).digest().readBigUInt64BE();
    const rest = BigInt.asUintN(rankBits, hash);
    const rank = rankBits - rest.toString(2).length + (rest === 0n ? 2 : 1);
    this.raise(Number(hash >> BigInt(rankBits)), rank);
  }

  /** Adds all customers of another sketch. */
  merge(bytes: Uint8Array): void {
    if (bytes.length === registers) bytes.forEach((rank, index) => this.raise(index, rank));
    else
      for (let at = 0; at + sparseEntryBytes <= bytes.length; at += sparseEntryBytes)
        this.raise(((bytes[at]! << 8) | bytes[at + 1]!) & (registers - 1), bytes[at + 2]!);
  }

  toBytes(): Buffer {
    const used = [...this.ranks].flatMap((rank, index) => (rank > 0 ? [[index >> 8, index & 0xff, rank]] : []));
    return used.length * sparseEntryBytes < registers ? Buffer.from(used.flat()) : Buffer.from(this.ranks);
  }

  /**
   * Ertl's estimator ("New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm 6): accurate
   * for small and large numbers without tables of empirical corrections.
   */
  estimate(): number {
    const counts = new Array<number>(rankBits + 2).fill(0);
    for (const rank of this.ranks) counts[rank]! += 1;
    let z = registers * tau(1 - counts[rankBits + 1]! / registers);
    for (let rank = rankBits; rank >= 1; rank -= 1) z = 0.5 * (z + counts[rank]!);
    z += registers * sigma(counts[0]! / registers);
    return Math.round((registers * registers) / (2 * Math.LN2 * z));
  }

  private raise(index: number, rank: number): void {
    if (rank > this.ranks[index]!) this.ranks[index] = rank;
  }
}

function sigma(given: number): number {
  if (given === 1) return Infinity;
  let [x, y, z, before] = [given, 1, given, NaN];
  while (z !== before) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

function tau(given: number): number {
  if (given === 0 || given === 1) return 0;
  let [x, y, z, before] = [given, 1, 1 - given, NaN];
  while (z !== before) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}
