import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * When a process was started, in words of the operating system; undefined when it does not run. A pid alone is no
 * identity: after kill -9 or a reboot it may belong to somebody else, and we would end a stranger.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startTimeOf(pid) {
  try {
    if (!existsSync('/proc/self/stat'))
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name may hold spaces and brackets, so count from its closing bracket: state, …, start time
    // (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * @param {{ pid: number, startTime?: string } | undefined} known
 * @returns {boolean}
 */
export function isRunning(known) {
  if (!known) return false;
  const startTime = startTimeOf(known.pid);
  return startTime !== undefined && startTime === known.startTime;
}
