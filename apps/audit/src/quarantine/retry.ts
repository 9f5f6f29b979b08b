/**
 * What was refused is worth another try only when somebody has mended something: a minute at first, and never more than
 * this apart.
 */
export const retryMs = { first: 60_000, most: 900_000 } as const;

/**
 * A quarter at most is taken off each delay, so that logs that failed together are not all tried together ever after.
 */
export function jitter(random: () => number = Math.random): number {
  return 1 - random() / 4;
}

/** SQL of the next try, `attempts` (an expression) tries having been refused before: 1, 2, 4 … minutes after `now`. */
export function nextTry(now: string, attempts: string, jittered: string): string {
  return `${now}::timestamptz + interval '1 millisecond' * (least(${retryMs.first} * 2 ^ least(${attempts}, 10), ${retryMs.most}) * ${jittered}::float8)`;
}
