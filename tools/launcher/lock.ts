import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { writeWhole } from '../infra/files.ts';
import { ReportedError } from '../infra/say.ts';
import { home } from '../setup/paths.mjs';
import { startTimeOf } from '../setup/processes.mjs';
import { launcherFile, runningStack, type RunningStack } from '../setup/running-stack.mjs';

/** One launcher per home: whoever links launcher.json first has it. */
export function takeStack(baseUrl: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const claim = `${launcherFile}.${process.pid}.claim`;
  writeWhole(claim, content({ baseUrl }));
  try {
    if (!runningStack()) rmSync(launcherFile, { force: true }); // left by a launcher that was killed
    linkSync(claim, launcherFile);
  } catch {
    throw new ReportedError(
      `Holdfast is already running at ${runningStack()?.baseUrl ?? baseUrl}; stop it with Ctrl-C where it was started.`,
    );
  } finally {
    rmSync(claim);
  }
}

/** Tells the command line where everything is. */
export function announceStack(details: Omit<RunningStack, 'pid' | 'startTime'>): void {
  writeWhole(launcherFile, content(details));
}

export function leaveStack(): void {
  rmSync(launcherFile, { force: true });
}

function content(details: Omit<RunningStack, 'pid' | 'startTime'>): string {
  return `${JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid), ...details }, null, 2)}\n`;
}
