/** More of them say nothing more. */
const mostListed = 20;
const mostKept = 1000;

/** What is wrong with a log: sentences, by the place that they speak of. */
export class Findings {
  private readonly found: { seq: number; sentence: string; rank: number }[] = [];
  private readonly displaced: { seq: number; hash: string; expected: string }[] = [];
  private count = 0;

  get none(): boolean {
    return this.count === 0;
  }

  /** @param rank of two findings about one entry the lower is listed first: it explains the other */
  add(seq: number, sentence: string, rank = 1): void {
    this.count++;
    if (this.found.length < mostKept) this.found.push({ seq, sentence, rank });
  }

  /** @param fault without its subject */
  at(seq: number, fault: string): void {
    this.add(seq, `Entry ${seq} ${fault}.`);
  }

  /** Notes which leaf stands at a place where another should, to tell whether it belongs somewhere else. */
  moved(seq: number, hash: Buffer, expected: Buffer): void {
    if (this.displaced.length < mostKept)
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
      .slice(0, mostListed)
      .map(({ seq, sentence }) =>
        where.has(seq) && sentence.includes('was changed')
          ? `Entry ${seq} is not in its place: what stands there was logged as entry ${where.get(seq)}.`
          : sentence,
      );
    return { sentences, more: this.count - sentences.length };
  }
}
