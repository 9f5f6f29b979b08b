/**
 * The least CPU time of several rounds of `run`, in milliseconds. A single round also counts what else the process does
 * meanwhile (garbage collection, compilation), so a test that compares single rounds fails by chance.
 */
export async function leastCpuMs(run: () => Promise<void>, rounds = 5): Promise<number> {
  let leastMs = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  return leastMs;
}
