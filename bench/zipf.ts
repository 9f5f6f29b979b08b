/**
 * Draws 0 to `count` - 1, the first most often: the chance of number n is in proportion to 1 / (n + 1). `random` gives
 * 0 to below 1.
 */
export function zipf(count: number, random: () => number = Math.random): () => number {
  const sums: number[] = [];
  for (let n = 0; n < count; n++) sums.push((sums[n - 1] ?? 0) + 1 / (n + 1));
  return () => {
    const target = random() * (sums[count - 1] ?? 0);
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
