/** A longer list tells nobody more. */
const maxListed = 20;
const maxStored = 1000;

/** What is wrong with a log: one sentence per problem, sorted by sequence number. */
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

  /** Stores which leaf was found where another was expected: list() then recognizes entries that were swapped. */
  moved(seq: number, hash: Buffer, expected: Buffer): void {
    if (this.displaced.length < maxStored)
      this.displaced.push({ seq, hash: hash.toString('base64'), expected: expected.toString('base64') });
  }

  list(): { sentences: string[]; more: number } {
    const home = new Map(this.displaced.map(({ seq, expected }) => [expected, seq]));
    const where = new Map(
      this.displaced.flatMap(({ seq, hash }) =>
        home.has(hash) && home.get(hash) !== seq ? [[seq, home.get(hash)!]] : [],
      ),
    );
    const sentences = this.found
      .toSorted((a, b) => a.seq - b.seq || a.rank - b.rank)
      .slice(0, maxListed)
      .map(({ seq, sentence }) =>
        where.has(seq) && sentence.includes('was changed')
          ? `Entry ${seq} is at the wrong index: its content was logged as entry ${where.get(seq)}.`
          : sentence,
      );
    return { sentences, more: this.count - sentences.length };
  }
}
