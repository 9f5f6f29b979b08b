/** Bounds of neighbouring classes of durations differ by this factor, so the middle of a class is within 5 %. */
const growth = 1.1;

/** The class of a duration: as in a histogram whose bounds grow by a constant factor, and can be added up. */
export function durationClass(ms: number): string {
  return String(Math.max(0, Math.ceil(Math.log(Math.max(1, ms)) / Math.log(growth))));
}

/** A duration in the middle of the class. */
function middleOf(name: string): number {
  return Math.round((2 * growth ** Number(name)) / (growth + 1));
}

/** The duration that a share of all does not exceed, within 5 %. Undefined without any. */
export function percentile(classes: ReadonlyMap<string, number>, share: number): number | undefined {
  const sorted = [...classes].sort(([a], [b]) => Number(a) - Number(b));
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [name, count] of sorted) {
    below += count;
    if (below >= share * total) return middleOf(name);
  }
  return undefined;
}
