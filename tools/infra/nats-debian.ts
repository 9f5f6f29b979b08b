import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './say.ts';

/**
 * Unpacks Debian's package into `folder`, without root and without an `apt-get update` before: apt works just as well on
 * lists of its own. Undefined where there is no apt.
 */
export async function fromDebian(folder: string): Promise<string | undefined> {
  const binary = join(folder, 'debian', 'usr', 'sbin', 'nats-server');
  if (existsSync(binary)) return binary;
  if (!existsSync('/usr/bin/apt-get')) return undefined;
  say('Fetching nats-server from Debian ...');
  const apt = join(folder, 'apt');
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'package']) mkdirSync(join(apt, part), { recursive: true });
  const options = {
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(apt, 'cache'),
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    // As root, apt would download as the user _apt, who may not reach this folder.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  };
  const aptGet = (...args: string[]): void => run('apt-get', [...Object.entries(options).flatMap(([k, v]) => ['-o', `${k}=${v}`]), ...args], join(apt, 'package'));
  try {
    try {
      aptGet('update');
    } catch {
      // One broken source among several fails the update, yet the package may be found in the others.
    }
    aptGet('download', 'nats-server');
    const [file] = readdirSync(join(apt, 'package')).filter((name) => name.endsWith('.deb'));
    if (!file) return undefined;
    const draft = join(folder, `debian.${process.pid}`);
    run('dpkg-deb', ['-x', join(apt, 'package', file), draft], apt);
    rmSync(join(folder, 'debian'), { recursive: true, force: true });
    run('mv', [draft, join(folder, 'debian')], apt);
  } finally {
    rmSync(apt, { recursive: true, force: true });
  }
  return binary;
}

function run(command: string, args: string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const stderr = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
    throw new Error(`${command} said: ${stderr || (error as Error).message}`, { cause: error });
  }
}
