import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRunning, startTimeOf } from '../setup/processes.mjs';
import { readJson, writeWhole } from './files.ts';
import { eventually } from './ports.ts';

interface ChildEntry {
  name: string;
  pid: number;
  startTime?: string | undefined;
  signal: 'SIGTERM' | 'SIGINT';
}

/** The format of children.json. */
interface Children {
  owner: { pid: number; startTime?: string };
  children: ChildEntry[];
}

/**
 * Lists the launcher's child processes in children.json. No program can catch SIGKILL, so a second process, the orphan
 * reaper, ends the listed children when the launcher is killed. If the reaper is killed too, the next start ends them.
 */
export class ChildProcessRegistry {
  readonly #file: string;
  readonly #reaper: ChildProcess;
  readonly #children = new Map<number, ChildEntry>();

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = childrenFile(folder);
    this.#write();
    const script = fileURLToPath(new URL('./orphan-reaper.ts', import.meta.url));
    const args = ['--disable-warning=ExperimentalWarning', script, this.#file, String(process.pid)];
    this.#reaper = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#reaper.unref();
  }

  get reaperPid(): number | undefined {
    return this.#reaper.pid;
  }

  add(child: ChildEntry): void {
    this.#children.set(child.pid, { ...child, startTime: startTimeOf(child.pid) });
    this.#write();
  }

  remove(pid: number): void {
    this.#children.delete(pid);
    this.#write();
  }

  /** To be called after all children have stopped. */
  stopReaper(): void {
    this.#reaper.kill('SIGTERM');
  }

  #write(): void {
    const owner = { pid: process.pid, startTime: startTimeOf(process.pid) };
    writeWhole(this.#file, JSON.stringify({ owner, children: [...this.#children.values()] }, null, 2));
  }
}

function childrenFile(folder: string): string {
  return join(folder, 'children.json');
}

/** Ends the processes that a killed launcher left running. */
export async function stopOrphans(folder: string): Promise<void> {
  const registry = readJson<Children>(childrenFile(folder));
  if (registry && !isRunning(registry.owner)) await stopChildren(registry.children);
}

/** For the orphan reaper. A new launcher may have replaced the list; then nothing is ended. */
export async function stopChildrenOf(file: string, owner: number): Promise<void> {
  const registry = readJson<Children>(file);
  if (registry?.owner.pid === owner) await stopChildren(registry.children);
}

/** Services first: they need NATS and PostgreSQL to shut down cleanly. */
async function stopChildren(children: ChildEntry[]): Promise<void> {
  for (const name of ['', 'nats', 'postgres']) {
    const group = children.filter((child) => (name ? child.name === name : !['nats', 'postgres'].includes(child.name)));
    await Promise.all(group.map(stopChild));
  }
}

async function stopChild(child: ChildEntry): Promise<void> {
  const signals = [child.signal, 'SIGCONT', 'SIGKILL'] as const;
  for (const signal of signals) {
    if (!isRunning(child)) return;
    try {
      process.kill(child.pid, signal);
    } catch {
      return;
    }
    if (signal === 'SIGCONT') await eventually(() => !isRunning(child), child.name === 'postgres' ? 20_000 : 5000);
    else await sleep(20);
  }
}
