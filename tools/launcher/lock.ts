import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { writeWhole } from '../infra/files.ts';
import { Refusal } from '../infra/say.ts';
import { home } from '../setup/paths.mjs';
import { startTimeOf } from '../setup/processes.mjs';
import { launcherFile, runningHouse, type RunningHouse } from '../setup/running-stack.mjs';

/** One launcher per home: whoever links launcher.json first has it. */
export function takeHouse(baseUrl: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const claim = `${launcherFile}.${process.pid}.claim`;
  writeWhole(claim, content({ baseUrl }));
  try {
    if (!runningHouse()) rmSync(launcherFile, { force: true }); // left by a launcher that was killed
    linkSync(claim, launcherFile);
  } catch {
    throw new Refusal(
      `Holdfast is already running at ${runningHouse()?.baseUrl ?? baseUrl}; stop it with Ctrl-C where it was started.`,
    );
  } finally {
    rmSync(claim);
  }
}

/** Tells the command line where everything is. */
export function announceHouse(details: Omit<RunningHouse, 'pid' | 'startTime'>): void {
  writeWhole(launcherFile, content(details));
}

export function leaveHouse(): void {
  rmSync(launcherFile, { force: true });
}

function content(details: Omit<RunningHouse, 'pid' | 'startTime'>): string {
  return `${JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid), ...details }, null, 2)}\n`;
}
