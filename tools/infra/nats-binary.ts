import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { cache } from '../setup/paths.mjs';
import { atLeast } from '../setup/node.mjs';
import { fromDebian } from './nats-debian.ts';
import { fromRelease } from './nats-release.ts';
import { Refusal } from './say.ts';

/** The path of a nats-server with JetStream: the machine's own, else Debian's package, else the project's own release. */
export async function natsBinary(): Promise<string> {
  // Debian puts it into /usr/sbin, which is not on everybody's PATH.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const own = folders.map((folder) => join(folder, 'nats-server')).find(works);
  if (own) return own;
  const folder = join(cache, 'nats-server');
  const tried: string[] = [];
  for (const fetch of [fromDebian, fromRelease]) {
    try {
      const fetched = await fetch(folder);
      if (fetched && works(fetched)) return fetched;
    } catch (error) {
      tried.push(error instanceof Error ? error.message : String(error));
    }
  }
  const how = process.platform === 'darwin' ? 'brew install nats-server' : 'apt-get install nats-server';
  const why = tried.length > 0 ? ` (tried: ${tried.join('; ')})` : '';
  throw new Refusal(`There is no nats-server on this machine and none could be fetched; install it with "${how}" and start again${why}.`);
}

export function natsVersion(binary: string): string {
  return execFileSync(binary, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim().replace(/^nats-server: v?/, '');
}

/** 2.9 is the oldest whose JetStream we use in full. */
function works(binary: string): boolean {
  try {
    return atLeast(natsVersion(binary), [2, 9]);
  } catch {
    return false;
  }
}
