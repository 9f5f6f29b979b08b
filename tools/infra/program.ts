import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChildProcessRegistry } from './child-process-registry.ts';
import { eventually } from './ports.ts';

/** What it takes to run a process and to stop it in good order. */
export interface Program {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  user?: { uid: number; gid: number };
  logFile: string;
  stopSignal: 'SIGTERM' | 'SIGINT';
  /** How long it may take to stop before it is killed, in milliseconds. */
  stopWithin: number;
  /** Asked again and again until true; must not throw. */
  ready: () => Promise<boolean>;
}

const logLimit = 20 * 1024 * 1024;

/** One old log is kept. */
export function rotateLog(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logLimit) renameSync(logFile, `${logFile}.1`);
}

/**
 * Starts the program in a process group of its own: Ctrl-C at the terminal must reach the launcher only, which then
 * stops everything in the right order. Its stdin is a pipe from us, whose end tells a service that we are gone.
 */
export function spawnProgram(program: Program, children: ChildProcessRegistry): ChildProcess {
  mkdirSync(dirname(program.logFile), { recursive: true });
  const log = openSync(program.logFile, 'a', 0o600);
  const child = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: program.env,
    stdio: ['pipe', log, log],
    detached: true,
    ...program.user,
  });
  closeSync(log);
  child.on('error', () => undefined); // `exit` or the missing pid tells
  child.stdin?.on('error', () => undefined);
  const { pid } = child;
  if (pid !== undefined) {
    children.add({ name: program.name, pid, signal: program.stopSignal });
    child.once('exit', () => children.remove(pid));
  }
  return child;
}

export function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Resolves once the process has ended, by asking or, after `stopWithin`, by force. */
export async function stopProgram(child: ChildProcess, { stopSignal, stopWithin }: Program): Promise<void> {
  if (hasEnded(child)) return;
  child.kill(stopSignal);
  child.kill('SIGCONT'); // a paused process would never see the first signal
  if (await eventually(() => hasEnded(child), stopWithin)) return;
  child.kill('SIGKILL');
  await eventually(() => hasEnded(child), 5000);
}

/** What a program last said of its trouble: the latest line that names an error, else the last line at all. */
export function lastWord(logFile: string): string {
  try {
    const lines = readFileSync(logFile, 'utf8').slice(-8192).trimEnd().split('\n');
    const line = lines.findLast((l) => /error|fatal/i.test(l)) ?? lines.at(-1) ?? '';
    return line.trim().slice(0, 500);
  } catch {
    return '';
  }
}
