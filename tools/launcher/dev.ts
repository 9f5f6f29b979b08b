// Watches apps and libs. Nx builds a change; then each service of the running stack whose build has changed, or that of
// a library it depends on, is restarted from the clone's build. The hub is served from its sources, with hot reload.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '@holdfast/contracts';
import { print, secondsSince, warn } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import { notRunning, runningStack, stillStarting } from '../setup/running-stack.mjs';
import { serveHub } from './hub-dev.ts';

/** An editor may save several files at once. They are built together after this time without a change. */
const quietMs = 200;

const stack = runningStack();
if (!stack?.control) {
  warn(stack ? stillStarting : notRunning);
  process.exit(1);
}
const { control } = stack;
let changedAt: number | undefined;
for (const group of ['apps', 'libs'])
  watch(join(root, group), { recursive: true }, (_, file) => {
    // The hub reloads by itself.
    if (file && /^(?!hub[/\\])[^/\\]+[/\\]src[/\\].+\.(tsx?|css|html)$/.test(file)) changedAt = performance.now();
  });
let built = fingerprints();
const hub = await serveHub(stack.baseUrl);
print('Watching apps/ and libs/. Save a file to build it and to restart its service; Ctrl-C ends the watch.');
print(`The hub with hot reload: ${hub}acme. Sign in at ${stack.baseUrl}/hub/acme before.`);
for (;;) {
  await sleep(quietMs / 2);
  if (changedAt === undefined || performance.now() - changedAt < quietMs) continue;
  changedAt = undefined;
  await buildAndRestart();
}

async function buildAndRestart(): Promise<void> {
  const startedAt = Date.now();
  const args = [join(root, 'tools', 'check.mjs'), 'build'];
  const done = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) {
    const errors = `${done.stdout}${done.stderr}`.split('\n').filter((line) => /error/i.test(line));
    warn(`The build failed; nothing is restarted.\n${errors.slice(0, 20).join('\n')}`);
    return;
  }
  const next = fingerprints();
  const changed = serviceNames.filter((name) => next.get(name) !== built.get(name));
  built = next;
  print(`Built (${secondsSince(startedAt)})${changed.length === 0 ? '; no service changed' : ''}`);
  for (const name of changed) await restart(name);
}

async function restart(name: string): Promise<void> {
  const startedAt = Date.now();
  try {
    await command(`stop/${name}`, {});
    await command(`start/${name}`, { build: root });
    print(`  ${name} runs the new build (${secondsSince(startedAt)})`);
  } catch (error) {
    warn(`  ${name} was not restarted: ${(error as Error).message}`);
  }
}

async function command(path: string, body: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${control.port}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${control.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(((await response.json()) as { message: string }).message);
}

/** For each service, a hash of its build and of the builds of all libraries that it depends on. */
function fingerprints(): Map<string, string> {
  return new Map(serviceNames.map((name) => [name, projectsOf(join('apps', name)).map(hashOf).join()]));
}

function projectsOf(project: string, found = new Set<string>()): string[] {
  if (found.has(project)) return [];
  found.add(project);
  const manifest = JSON.parse(readFileSync(join(root, project, 'package.json'), 'utf8')) as { dependencies?: object };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const below = ['libs', 'apps'].map((group) => join(group, name.replace('@holdfast/', '')));
    const dependency = name.startsWith('@holdfast/') && below.find((path) => existsSync(join(root, path)));
    if (dependency) projectsOf(dependency, found);
  }
  return [...found];
}

function hashOf(project: string): string {
  const dist = join(root, project, 'dist');
  if (!existsSync(dist)) return '';
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.(js|css|html)$/.test(entry.name),
  );
  return hash('sha256', files.map((f) => readFileSync(join(f.parentPath, f.name), 'utf8')).join('\0'));
}
