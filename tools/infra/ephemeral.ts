import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildOf, root } from '../setup/paths.mjs';
import { startTimeOf } from '../setup/processes.mjs';
import { ChildProcessRegistry } from './child-process-registry.ts';
import { eventually, freePort } from './ports.ts';
import { postgresFolder, sharedFolder } from './postgres-home.ts';
import { postgresProgram, postgresUrl } from './postgres.ts';
import { hasEnded, lastErrorLine, spawnProgram, stopProgram, type Program } from './program.ts';

const tests = join(root, '.holdfast', 'tests');

/** Servers for one run of the tests, in a folder of their own. A running stack is left alone. */
export class EphemeralServers {
  readonly folder = join(tests, String(process.pid));
  /** HOLDFAST_HOME of a stack that the tests start. */
  readonly stackFolder = stackFolderOf(this.folder);
  /** The same of another stack, for tests that run beside those of the first one. */
  readonly secondStackFolder = secondStackFolderOf(this.folder);
  /** A clone of another commit, whose stack has its folder and build inside of it (tools/testing/base-clone.ts). */
  readonly baseClone = baseCloneOf(this.folder);
  readonly #children: ChildProcessRegistry;
  readonly #stops: (() => Promise<void>)[] = [];

  constructor() {
    removeOrphanedFolders();
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    this.#children = new ChildProcessRegistry(this.folder);
  }

  /** @returns the address of a fresh PostgreSQL, as its superuser */
  async postgres(): Promise<string> {
    const port = await freePort();
    const password = randomBytes(18).toString('base64url');
    await this.#start(
      await postgresProgram({
        home: this.folder,
        port,
        password,
        durable: false,
        logFile: join(this.folder, 'postgres.log'),
      }),
    );
    return postgresUrl({ port, password }, 'postgres');
  }

  onStop(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  /** Stops everything and exits when this process is to end, or its parent has ended. */
  stopOnSignals(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const)
      process.once(signal, () => void this.stop().then(() => process.exit(1)));
  }

  async #start(program: Program): Promise<void> {
    const child = spawnProgram(program, this.#children);
    this.#stops.push(() => stopProgram(child, program));
    await eventually(async () => hasEnded(child) || (await program.ready()), 30_000);
    if (!(await program.ready())) throw new Error(`${program.name} did not start: ${lastErrorLine(program.logFile)}`);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop();
    this.#children.stopReaper();
    removeFolders(this.folder);
  }
}

/** Removes the folders of runs that were killed. */
function removeOrphanedFolders(): void {
  mkdirSync(tests, { recursive: true });
  for (const name of readdirSync(tests)) {
    if (!startTimeOf(Number(name))) removeFolders(join(tests, name));
  }
}

function stackFolderOf(folder: string): string {
  return join(folder, 'stack');
}

function secondStackFolderOf(folder: string): string {
  return join(folder, 'stack-2');
}

function baseCloneOf(folder: string): string {
  return join(folder, 'clone');
}

/** Removes the folder of a run, and the folders of its servers that lie elsewhere. */
function removeFolders(folder: string): void {
  const stacks = [stackFolderOf(folder), secondStackFolderOf(folder)];
  for (const path of [
    postgresFolder(folder),
    ...stacks.flatMap((stack) => [postgresFolder(stack), buildOf(stack)]),
    sharedFolder(baseCloneOf(folder)),
    folder,
  ])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
