import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRunning, startTimeOf } from '../setup/processes.mjs';
import { readJson, writeWhole } from './files.ts';
import { eventually } from './ports.ts';

interface Held {
  name: string;
  pid: number;
  startTime?: string | undefined;
  signal: 'SIGTERM' | 'SIGINT';
}

interface Children {
  owner: { pid: number; startTime?: string };
  children: Held[];
}

/**
 * Keeps a list of our child processes in a file, and a guard process that ends them when we are killed with kill -9,
 * which no program can catch. Should the guard be killed too, the next start ends them.
 */
export class Leash {
  readonly #file: string;
  readonly #guard: ChildProcess;
  readonly #children = new Map<number, Held>();

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = childrenFile(folder);
    this.#write();
    const script = fileURLToPath(new URL('./orphan-reaper.ts', import.meta.url));
    this.#guard = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', script, this.#file, String(process.pid)],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      },
    );
    this.#guard.unref();
  }

  get guardPid(): number | undefined {
    return this.#guard.pid;
  }

  hold(child: Held): void {
    this.#children.set(child.pid, { ...child, startTime: startTimeOf(child.pid) });
    this.#write();
  }

  release(pid: number): void {
    this.#children.delete(pid);
    this.#write();
  }

  /** After everything was stopped in good order. */
  end(): void {
    this.#guard.kill('SIGTERM');
  }

  #write(): void {
    const owner = { pid: process.pid, startTime: startTimeOf(process.pid) };
    writeWhole(this.#file, JSON.stringify({ owner, children: [...this.#children.values()] }, null, 2));
  }
}

function childrenFile(folder: string): string {
  return join(folder, 'children.json');
}

/** Ends what a killed launcher left running. */
export async function endOrphans(folder: string): Promise<void> {
  const known = readJson<Children>(childrenFile(folder));
  if (known && !isRunning(known.owner)) await endChildren(known.children);
}

/** For the guard: only the list of its own launcher, since a new one may have begun its own already. */
export async function endChildrenOf(file: string, owner: number): Promise<void> {
  const known = readJson<Children>(file);
  if (known?.owner.pid === owner) await endChildren(known.children);
}

/** The last started first: services need the bus and the database to end well. */
async function endChildren(children: Held[]): Promise<void> {
  for (const name of ['', 'nats', 'postgres']) {
    const group = children.filter((child) => (name ? child.name === name : !['nats', 'postgres'].includes(child.name)));
    await Promise.all(group.map(endOne));
  }
}

async function endOne(child: Held): Promise<void> {
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
