import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * When a process was started, in the operating system's format; undefined when it does not run. A pid alone does not
 * identify a process: after kill -9 or a reboot it may belong to another one, which must not be ended.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startTimeOf(pid) {
  try {
    if (!existsSync('/proc/self/stat'))
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name may contain spaces and brackets, so fields are counted from its closing bracket: state, …,
    // start time (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * @param {{ pid: number, startTime?: string } | undefined} recorded
 * @returns {boolean}
 */
export function isRunning(recorded) {
  if (!recorded) return false;
  const startTime = startTimeOf(recorded.pid);
  return startTime !== undefined && startTime === recorded.startTime;
}
