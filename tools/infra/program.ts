import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChildProcessRegistry } from './child-process-registry.ts';
import { eventually } from './ports.ts';

/** How to start a process and to stop it gracefully. */
export interface Program {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  user?: { uid: number; gid: number };
  logFile: string;
  stopSignal: 'SIGTERM' | 'SIGINT';
  /** After this time without an end it is killed. */
  stopTimeoutMs: number;
  /** Called repeatedly until true; must not throw. */
  ready: () => Promise<boolean>;
}

const maxLogBytes = 20 * 1024 * 1024;

/** Keeps one old log. */
export function rotateLog(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxLogBytes) renameSync(logFile, `${logFile}.1`);
}

/**
 * Starts the program in its own process group: Ctrl-C at the terminal must reach the launcher only, which then stops
 * everything in the right order. Its stdin is a pipe from the launcher; services exit when it ends.
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
  child.on('error', () => undefined); // Callers check `exit` or the missing pid.
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

/** Resolves once the process has ended: by its stop signal or, after `stopTimeoutMs`, by SIGKILL. */
export async function stopProgram(child: ChildProcess, { stopSignal, stopTimeoutMs }: Program): Promise<void> {
  if (hasEnded(child)) return;
  child.kill(stopSignal);
  child.kill('SIGCONT'); // A paused process would not handle the first signal.
  if (await eventually(() => hasEnded(child), stopTimeoutMs)) return;
  child.kill('SIGKILL');
  await eventually(() => hasEnded(child), 5000);
}

/** The last line of a log that contains "error" or "fatal", else its last line. */
export function lastErrorLine(logFile: string): string {
  try {
    const lines = readFileSync(logFile, 'utf8').slice(-8192).trimEnd().split('\n');
    const line = lines.findLast((l) => /error|fatal/i.test(l)) ?? lines.at(-1) ?? '';
    return line.trim().slice(0, 500);
  } catch {
    return '';
  }
}
