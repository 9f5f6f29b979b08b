import type { Findings } from './findings.js';
import type { UnmappedPseudonyms } from './leaf-facts.js';
import { plural } from './plural.js';

/** Records per append, at most. In one append, late records of an erased customer share one pseudonym. */
const batchSize = 500;

interface Seqs {
  first: number;
  last: number;
}

/**
 * A pseudonym without a mapping is the result of an erasure, which has a record that names it, or of tampering that
 * imitates one. A record that was appended after the erasure has a pseudonym that never had a mapping; its leaf lists
 * it as erased.
 */
export class Erasures {
  private readonly erased = new Set<string>();
  private firstErasure = Infinity;
  private readonly unmapped = new Map<string, Seqs>();
  /** Entries in which the customer has a mapping, but an offer or credential has none. */
  private readonly partlyMapped: number[] = [];

  /** A record of `subject.erase` or `user.remove`. */
  record(seq: number, customers: readonly string[]): void {
    this.firstErasure = Math.min(this.firstErasure, seq);
    for (const pseudonym of customers) this.erased.add(pseudonym);
  }

  add(seq: number, { customers, others, late }: UnmappedPseudonyms, customerIsMapped: boolean): void {
    for (const pseudonym of customers) {
      if (late.includes(pseudonym)) continue;
      const seqs = this.unmapped.get(pseudonym);
      if (seqs) seqs.last = seq;
      else this.unmapped.set(pseudonym, { first: seq, last: seq });
    }
    if (customerIsMapped && others.some((pseudonym) => !late.includes(pseudonym))) this.partlyMapped.push(seq);
  }

  /**
   * To be called at the end of the log.
   *
   * @returns sequence numbers of entries that cannot be decided: earlier versions did not list erased pseudonyms
   */
  report(findings: Findings): number[] {
    const undecided: number[] = [];
    const removed: number[] = [];
    for (const [pseudonym, { first, last }] of this.unmapped) {
      if (this.erased.has(pseudonym)) continue;
      (first > this.firstErasure && last - first < batchSize ? undecided : removed).push(first);
    }
    if (removed.length > 0) {
      const [first] = removed as [number];
      const others =
        removed.length > 1 ? `, and so were the mappings of ${plural(removed.length - 1, 'other', 'others')}` : '';
      findings.at(
        first,
        'has a pseudonym without a mapping, as if that customer or person were erased, but no record of ' +
          `subject.erase or user.remove names them: the mapping was removed${others}`,
      );
    }
    if (this.partlyMapped.length > 0) {
      const [first] = this.partlyMapped as [number];
      const others =
        this.partlyMapped.length > 1
          ? `, as ${plural(this.partlyMapped.length - 1, 'other entry has', 'other entries have')}`
          : '';
      findings.at(
        first,
        `has a pseudonym of something that belongs to a customer or person, without a mapping${others}, although ` +
          'they have one: the mapping was removed',
      );
    }
    return undecided;
  }
}
