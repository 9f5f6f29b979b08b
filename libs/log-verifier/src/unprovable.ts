import type { Findings } from './findings.js';
import { plural } from './plural.js';

/** The number of findings of one kind, and the entry of the first. */
class Tally {
  count = 0;
  first = 0;

  add(seq: number, times: number): void {
    if (times > 0) this.first ||= seq;
    this.count += times;
  }

  /** " and 2 others" */
  get others(): string {
    return this.count > 1 ? ` and ${plural(this.count - 1, 'other', 'others')}` : '';
  }
}

/** Findings that are normal in logs of earlier versions, and may as well be tampering that imitates them. */
export class Unprovable {
  /** Pseudonym mappings without a salt. */
  readonly unsalted = new Tally();
  /** Entries without logged personal values, although the data subject's pseudonym has a mapping. */
  readonly withheld = new Tally();
  /** Entries with a pseudonym without a mapping, from before leaves said which of them never had one. */
  readonly unmappedLate = new Tally();
  /** First entries of a month in which nothing up to them has happened, but in the month before. */
  readonly ahead = new Tally();

  get count(): number {
    return this.unsalted.count + this.withheld.count + this.unmappedLate.count + this.ahead.count;
  }

  report(findings: Findings): void {
    const { unsalted, withheld, unmappedLate, ahead } = this;
    if (unsalted.count > 0) {
      const which = unsalted.count > 1 ? `the first of ${unsalted.count} pseudonym mappings` : 'a pseudonym mapping';
      findings.add(
        unsalted.first,
        `Entry ${unsalted.first} has ${which} without a salt, which cannot be checked against the logged pseudonym. ` +
          'Mappings from before pseudonyms had a salt look like that. In a log without such mappings, somebody ' +
          'removed the salt to name somebody else.',
      );
    }
    if (withheld.count > 0) {
      findings.add(
        withheld.first,
        `Entry ${withheld.first}${withheld.others} withholds an address, user agent or reason that was logged, as if ` +
          'that person were erased, but their pseudonym still has a mapping: the values or their key were removed, ' +
          'or KEY_ENCRYPTION_KEY was changed.',
      );
    }
    if (ahead.count > 0) {
      findings.add(
        ahead.first,
        `Entry ${ahead.first}${ahead.others} has a month in which nothing up to it has happened: an earlier version ` +
          'appended it long after it had happened, or the month was changed.',
      );
    }
    if (unmappedLate.count > 0) {
      findings.add(
        unmappedLate.first,
        `Entry ${unmappedLate.first}${unmappedLate.others} has a pseudonym without a mapping that no subject.erase ` +
          'record names: it was appended after an erasure, before records said so, or the mapping was removed.',
      );
    }
  }
}
