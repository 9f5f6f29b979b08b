/** Lets `max` pieces of work run at once. Others wait, first come, first served. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.max) this.running += 1;
    else await new Promise<void>((begin) => this.waiting.push(begin));
    try {
      return await work();
    } finally {
      // The next one takes over the place of this one.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
