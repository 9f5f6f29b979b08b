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
 * Lists our child processes in children.json. No program can catch SIGKILL, so a second process, the orphan reaper,
 * ends the listed children when we are killed. If the reaper is killed too, the next start ends them.
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

  /** Call it after all children have stopped: the reaper has nothing left to do. */
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
export async function endOrphans(folder: string): Promise<void> {
  const known = readJson<Children>(childrenFile(folder));
  if (known && !isRunning(known.owner)) await endChildren(known.children);
}

/** For the orphan reaper. It leaves the list of a new launcher alone, which may have replaced that of its own. */
export async function endChildrenOf(file: string, owner: number): Promise<void> {
  const known = readJson<Children>(file);
  if (known?.owner.pid === owner) await endChildren(known.children);
}

/** Services first: they need NATS and PostgreSQL to shut down cleanly. */
async function endChildren(children: ChildEntry[]): Promise<void> {
  for (const name of ['', 'nats', 'postgres']) {
    const group = children.filter((child) => (name ? child.name === name : !['nats', 'postgres'].includes(child.name)));
    await Promise.all(group.map(endChild));
  }
}

async function endChild(child: ChildEntry): Promise<void> {
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
