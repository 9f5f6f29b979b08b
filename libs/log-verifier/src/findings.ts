import { base64Of } from '@holdfast/tlog/platform';

/** Further findings are counted only. */
const maxListed = 20;
const maxStored = 1000;

/** The findings of a verification: one sentence per problem, sorted by sequence number. */
export class Findings {
  private readonly found: { seq: number; sentence: string; rank: number }[] = [];
  private readonly displaced: { seq: number; hash: string; expected: string }[] = [];
  private count = 0;

  get none(): boolean {
    return this.count === 0;
  }

  /** @param rank of two findings about one entry, the one with the lower rank is listed first and explains the other */
  add(seq: number, sentence: string, rank = 1): void {
    this.count++;
    if (this.found.length < maxStored) this.found.push({ seq, sentence, rank });
  }

  /** @param problem a sentence without its subject and full stop */
  at(seq: number, problem: string): void {
    this.add(seq, `Entry ${seq} ${problem}.`);
  }

  /** Stores which leaf an entry has and which the tree expects, so that list() recognizes swapped entries. */
  moved(seq: number, hash: Uint8Array, expected: Uint8Array): void {
    if (this.displaced.length < maxStored)
      this.displaced.push({ seq, hash: base64Of(hash), expected: base64Of(expected) });
  }

  list(): { sentences: string[]; more: number } {
    const loggedAt = new Map(this.displaced.map(({ seq, expected }) => [expected, seq]));
    const movedFrom = new Map(
      this.displaced.flatMap(({ seq, hash }) =>
        loggedAt.has(hash) && loggedAt.get(hash) !== seq ? [[seq, loggedAt.get(hash)!]] : [],
      ),
    );
    const sentences = this.found
      .toSorted((a, b) => a.seq - b.seq || a.rank - b.rank)
      .slice(0, maxListed)
      .map(({ seq, sentence }) =>
        movedFrom.has(seq) && sentence.includes('was changed')
          ? `Entry ${seq} is at the wrong index: its content was logged as entry ${movedFrom.get(seq)}.`
          : sentence,
      );
    return { sentences, more: this.count - sentences.length };
  }
}
