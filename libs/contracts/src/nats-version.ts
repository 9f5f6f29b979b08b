/**
 * The oldest supported nats-server, which `npm start` and compose run. Older ones block permanently after JetStream's
 * disk was full for a moment, or lose a stream when they are killed (docs/adr/0021-nats-server-version.md).
 */
export const minimumNatsVersion = '2.10.27';

/** Whether a server's version (`2.10.27`, `v2.10.27`, `2.12.0-RC.1`) is supported. False for anything else. */
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
