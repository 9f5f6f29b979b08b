import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { ReportedError } from '../infra/console.ts';
import { writeWhole } from '../infra/files.ts';
import { home } from '../setup/paths.mjs';
import { startTimeOf } from '../setup/processes.mjs';
import { launcherFile, runningStack, type RunningStack } from '../setup/running-stack.mjs';

/** Allows one launcher per home: the first that links launcher.json. */
export function claimStack(baseUrl: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${launcherFile}.${process.pid}.new`;
  writeWhole(draft, content({ baseUrl }));
  try {
    if (!runningStack()) rmSync(launcherFile, { force: true }); // A killed launcher left it behind.
    linkSync(draft, launcherFile);
  } catch {
    throw new ReportedError(
      `Holdfast is already running at ${runningStack()?.baseUrl ?? baseUrl}. Stop it with Ctrl-C in its terminal.`,
    );
  } finally {
    rmSync(draft);
  }
}

/** Writes the addresses of the stack for the command line. */
export function announceStack(details: Omit<RunningStack, 'pid' | 'startTime'>): void {
  writeWhole(launcherFile, content(details));
}

export function releaseStack(): void {
  rmSync(launcherFile, { force: true });
}

function content(details: Omit<RunningStack, 'pid' | 'startTime'>): string {
  return `${JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid), ...details }, null, 2)}\n`;
}
