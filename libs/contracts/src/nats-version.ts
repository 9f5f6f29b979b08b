/**
 * The oldest nats-server that Holdfast works with, and the one that `npm start` and compose run. Older ones block for
 * good when the disk of JetStream was full for a moment, or lose a stream when they are killed
 * (docs/adr/0021-nats-server-version.md).
 */
export const minimumNatsVersion = '2.10.27';

/** Whether a server of this version (`2.10.27`, `v2.10.27`, `2.12.0-RC.1`) is new enough. What is no version is not. */
export function isSupportedNatsVersion(version: string): boolean {
  const found = numbersOf(version);
  const least = numbersOf(minimumNatsVersion)!;
  if (!found) return false;
  const differing = found.findIndex((part, index) => part !== least[index]);
  return differing === -1 || found[differing]! > least[differing]!;
}

function numbersOf(version: string): number[] | undefined {
  return /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
}
