/** A generator of random integers from 0 to below its argument. */
export type RandomSequence = (below: number) => number;

/** The same sequence for the same seed, so that a failed test can be repeated (mulberry32). */
export function randomSequence(seed: number): RandomSequence {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** Shuffles the items in place (Fisher and Yates). */
export function shuffle(items: unknown[], random: RandomSequence): void {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = random(i + 1);
    [items[i], items[j]] = [items[j], items[i]];
  }
}
