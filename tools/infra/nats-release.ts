import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from './console.ts';

export const releaseVersion = '2.10.29';
/** SHA-256 of nats-server-v<version>-<platform>.tar.gz. */
const releases: Record<string, string> = {
  'linux-amd64': 'e314da74a83a1d3876db8814c27eb990fe729640fd6452025b441bcede8390da',
  'linux-arm64': 'da4b27942ecfb4c5f0c54553d2e7f470ddda9d7581cfe8131b351a0e223ed401',
};

/** Downloads the official release into `folder`. Undefined on platforms without a pinned release. */
export async function fromRelease(
  folder: string,
  from = 'https://github.com/nats-io/nats-server/releases/download',
): Promise<string | undefined> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const expected = releases[platform];
  if (!expected) return undefined;
  const name = `nats-server-v${releaseVersion}-${platform}`;
  const binary = join(folder, name, 'nats-server');
  if (existsSync(binary)) return binary;
  print(`Fetching nats-server ${releaseVersion} ...`);
  const url = `${from}/v${releaseVersion}/${name}.tar.gz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(120_000) });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
  const archive = Buffer.from(await response.arrayBuffer());
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== expected) throw new Error(`${url} has the SHA-256 ${found} instead of the pinned ${expected}`);
  unpack(archive, folder, name);
  return binary;
}

function unpack(archive: Buffer, folder: string, name: string): void {
  const draft = join(folder, `release.${process.pid}`);
  mkdirSync(draft, { recursive: true });
  const file = join(draft, 'archive.tar.gz');
  writeFileSync(file, archive);
  execFileSync('tar', ['-xzf', file, '-C', draft]);
  rmSync(join(folder, name), { recursive: true, force: true });
  renameSync(join(draft, name), join(folder, name));
  rmSync(draft, { recursive: true });
}
