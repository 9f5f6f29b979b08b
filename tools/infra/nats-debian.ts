import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './say.ts';

/**
 * The Debian release whose package was tried (docs/adr/0021-nats-server-version.md). It needs glibc 2.34, which Debian
 * 12 has, so that a machine of another release can run it as well.
 */
const suite = 'trixie';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const indexes = '$(REPO_URI) $(RELEASE) $(COMPONENT)';

/**
 * Unpacks Debian's package into `folder`, without root, and touches nothing of the machine's own package management:
 * apt gets a source list and a state of its own, and verifies Debian's signature. Undefined where apt knows no mirror
 * of Debian.
 */
export async function fromDebian(folder: string): Promise<string | undefined> {
  const unpacked = join(folder, suite);
  const binary = join(unpacked, 'usr', 'sbin', 'nats-server');
  if (existsSync(binary)) return binary;
  if (!existsSync('/usr/bin/apt-get')) return undefined;
  const [mirror] = debianMirrors(run('apt-get', ['indextargets', '--format', indexes, 'Created-By: Packages']));
  if (!mirror) return undefined;
  say(`Fetching nats-server from Debian (${suite}) ...`);
  // Of this process alone: apt locks its state, and a second start may fetch at the same time.
  const apt = join(folder, `apt.${process.pid}`);
  const draft = join(apt, 'unpacked');
  try {
    for (const part of ['state/lists/partial', 'cache/archives/partial', 'package'])
      mkdirSync(join(apt, part), { recursive: true });
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
 * The mirrors of Debian that this machine's apt is set up with, from lines of `apt-get indextargets`. Other sources of
 * the machine are not Debian's: only Debian has these releases.
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
    // A pin of the machine is for its own packages.
    'Dir::Etc::preferences': '-',
    'Dir::Etc::preferencesparts': '-',
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    // As root, apt would download as the user _apt, who may not reach this folder.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  };
}

function run(command: string, args: string[], cwd?: string): string {
  try {
    return execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const stderr = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
    throw new Error(`${command} said: ${stderr || (error as Error).message}`, { cause: error });
  }
}
