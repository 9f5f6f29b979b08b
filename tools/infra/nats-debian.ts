import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from './console.ts';

/**
 * The Debian release whose package was tested (docs/adr/0021-nats-server-version.md). It needs glibc 2.34, which Debian
 * 12 has, so machines with another release can run it as well.
 */
const suite = 'trixie';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const indexes = '$(REPO_URI) $(RELEASE) $(COMPONENT)';

/**
 * Unpacks Debian's package into `folder`, without root, and leaves the machine's package management alone: apt runs
 * with its own source list and state, and verifies Debian's signature. Undefined where apt has no Debian mirror.
 */
export async function fromDebian(folder: string): Promise<string | undefined> {
  const unpacked = join(folder, suite);
  const binary = join(unpacked, 'usr', 'sbin', 'nats-server');
  if (existsSync(binary)) return binary;
  if (!existsSync('/usr/bin/apt-get')) return undefined;
  const [mirror] = debianMirrors(run('apt-get', ['indextargets', '--format', indexes, 'Created-By: Packages']));
  if (!mirror) return undefined;
  print(`Fetching nats-server from Debian (${suite}) ...`);
  // One folder per process: apt locks its state, and a second start may fetch concurrently.
  const apt = join(folder, `apt.${process.pid}`);
  const draft = join(apt, 'unpacked');
  try {
    for (const path of ['state/lists/partial', 'cache/archives/partial', 'package'])
      mkdirSync(join(apt, path), { recursive: true });
    writeFileSync(
      join(apt, 'sources.list'),
      `deb ${existsSync(keyring) ? `[signed-by=${keyring}] ` : ''}${mirror} ${suite} main\n`,
    );
    writeFileSync(join(apt, 'status'), '');
    const options = Object.entries(aptOptions(apt)).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    run('apt-get', [...options, 'update'], apt);
    run('apt-get', [...options, 'download', 'nats-server'], join(apt, 'package'));
    const [file] = readdirSync(join(apt, 'package')).filter((name) => name.endsWith('.deb'));
    if (!file) return undefined;
    run('dpkg-deb', ['-x', join(apt, 'package', file), draft], apt);
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(draft, unpacked);
  } finally {
    rmSync(apt, { recursive: true, force: true });
  }
  return binary;
}

/**
 * The Debian mirrors of this machine's apt, from lines of `apt-get indextargets`. A source is Debian's when it has a
 * release of Debian.
 */
export function debianMirrors(indexTargets: string): string[] {
  const releases = /^(oldoldstable|oldstable|stable|testing|unstable|sid|bullseye|bookworm|trixie|forky|duke)$/;
  const rows = indexTargets.split('\n').map((line) => line.trim().split(' '));
  return [
    ...new Set(
      rows.flatMap(([uri, release, component]) =>
        uri && component === 'main' && releases.test(release ?? '') ? [uri] : [],
      ),
    ),
  ];
}

function aptOptions(apt: string): Record<string, string> {
  return {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    // Pins of the machine apply to its own packages only.
    'Dir::Etc::preferences': '-',
    'Dir::Etc::preferencesparts': '-',
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    // As root, apt downloads as the user _apt, who may be unable to reach this folder.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  };
}

function run(command: string, args: string[], cwd?: string): string {
  try {
    return execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const stderr = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
    throw new Error(`${command} failed: ${stderr || (error as Error).message}`, { cause: error });
  }
}
