import type { Findings } from './findings.js';
import type { UnmappedPseudonyms } from './leaf-facts.js';
import { plural } from './plural.js';

/**
 * Records that get their places together, at most: what comes late of somebody who is erased has one pseudonym there.
 */
const batchSize = 500;

interface Closed {
  first: number;
  last: number;
}

/**
 * A name that does not open any more was taken away by an erasure, which its own record names, or by somebody who
 * wanted it to look like that. What comes late of an erased customer has a pseudonym that never opened; its leaf says
 * so.
 */
export class Erasures {
  private readonly erased = new Set<string>();
  private firstErasure = Infinity;
  private readonly closed = new Map<string, Closed>();
  /** Entries with an id of somebody whose name opens. */
  private readonly halves: number[] = [];

  /** Of a record of `subject.erase`. */
  record(seq: number, customers: readonly string[]): void {
    this.firstErasure = Math.min(this.firstErasure, seq);
    for (const pseudonym of customers) this.erased.add(pseudonym);
  }

  add(seq: number, { customers, others, late }: UnmappedPseudonyms, customerOpens: boolean): void {
    for (const pseudonym of customers) {
      if (late.includes(pseudonym)) continue;
      const known = this.closed.get(pseudonym);
      if (known) known.last = seq;
      else this.closed.set(pseudonym, { first: seq, last: seq });
    }
    if (customerOpens && others.some((pseudonym) => !late.includes(pseudonym))) this.halves.push(seq);
  }

  /**
   * At the end of the log. @returns places of entries of which nobody can tell: from before leaves said what came late
   */
  report(findings: Findings): number[] {
    const unknown: number[] = [];
    const taken: number[] = [];
    for (const [pseudonym, { first, last }] of this.closed) {
      if (this.erased.has(pseudonym)) continue;
      (first > this.firstErasure && last - first < batchSize ? unknown : taken).push(first);
    }
    if (taken.length > 0) {
      findings.add(
        taken[0]!,
        `Entry ${taken[0]!} names somebody whose name does not open, as if they were erased, but no record of subject.erase names them: the name was taken away${taken.length > 1 ? `, and so were the names of ${plural(taken.length - 1, 'other', 'others')}` : ''}.`,
      );
    }
    if (this.halves.length > 0) {
      findings.add(
        this.halves[0]!,
        `Entry ${this.halves[0]!}${this.halves.length > 1 ? ` and ${plural(this.halves.length - 1, 'other', 'others')}` : ''} names an offer or credential whose id does not open, though that of its customer does: the id was taken away.`,
      );
    }
    return unknown;
  }
}
