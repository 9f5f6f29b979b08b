import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isSupportedNatsVersion, minimumNatsVersion } from '@holdfast/contracts';
import { cache } from '../setup/paths.mjs';
import { print, ReportedError } from './console.ts';
import { fromDebian } from './nats-debian.ts';
import { fromRelease } from './nats-release.ts';

/** The path of a supported nats-server: the machine's own, else Debian's package, else the NATS project's release. */
export async function natsBinary(): Promise<string> {
  // Debian installs it into /usr/sbin, which is not on every user's PATH.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const installed = [...new Set(folders)]
    .map((folder) => join(folder, 'nats-server'))
    .filter((path) => existsSync(path));
  const supported = installed.find((path) => isSupportedNatsVersion(versionOf(path)));
  if (supported) return supported;
  const tooOld = installed.map((path) => `${path} is version ${versionOf(path) || 'unknown'}`);
  const folder = join(cache, 'nats-server');
  const tried = [...tooOld];
  for (const fetch of [fromDebian, fromRelease]) {
    try {
      const fetched = await fetch(folder);
      const version = fetched && versionOf(fetched);
      if (fetched && version && isSupportedNatsVersion(version)) {
        if (tooOld.length > 0)
          print(`  ${tooOld.join(', ')}, older than ${minimumNatsVersion}: using ${version} instead`);
        return fetched;
      }
      if (fetched) tried.push(`${fetched} is version ${version || 'unknown'}`);
    } catch (error) {
      tried.push(error instanceof Error ? error.message : String(error));
    }
  }
  const how =
    process.platform === 'darwin'
      ? 'brew install nats-server'
      : 'the package of your system, or a release of the NATS project';
  const why = tried.length > 0 ? ` (tried: ${tried.join('; ')})` : '';
  throw new ReportedError(
    `There is no nats-server ${minimumNatsVersion} or newer on this machine, and none could be fetched. ` +
      `Install one (${how}) so that it is on the PATH, and start again${why}.`,
  );
}

export function natsVersion(binary: string): string {
  return execFileSync(binary, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .trim()
    .replace(/^nats-server: v?/, '');
}

/** Empty when the file is not a nats-server, or does not run on this machine. */
function versionOf(binary: string): string {
  try {
    return natsVersion(binary);
  } catch {
    return '';
  }
}
