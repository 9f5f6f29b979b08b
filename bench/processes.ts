import { readdirSync, readFileSync } from 'node:fs';

/** Fields of /proc/<pid>/stat. Times are in clock ticks (proc(5)). */
export interface Stat {
  pid: number;
  parent: number;
  /** CPU time of the process. */
  own: number;
  /** CPU time of its children that have ended. */
  ended: number;
}

/** USER_HZ, which is 100 on every Linux that runs Node.js. */
const ticksPerSecond = 100;
const microsPerTick = 1e6 / ticksPerSecond;

export function parseStat(text: string): Stat {
  // The name of the command may contain spaces and brackets, so the fields are counted from its closing bracket.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const at = (i: number): number => fields[i] ?? 0;
  return { pid: Number.parseInt(text, 10), parent: at(1), own: at(11) + at(12), ended: at(13) + at(14) };
}

/** Proportional set size in bytes, from /proc/<pid>/smaps_rollup. */
export function parsePss(text: string): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
}

/** CPU time of a process and its descendants, in µs. A child that has ended counts with its parent. */
export function cpuOfTree(pid: number, all: readonly Stat[]): number {
  const self = all.find((s) => s.pid === pid);
  if (!self) return 0;
  const below = all.filter((s) => s.parent === pid).reduce((sum, child) => sum + cpuOfTree(child.pid, all), 0);
  return (self.own + self.ended) * microsPerTick + below;
}

export function pidsOfTree(pid: number, all: readonly Stat[]): number[] {
  return [pid, ...all.filter((s) => s.parent === pid).flatMap((s) => pidsOfTree(s.pid, all))];
}

/** All processes of the machine, except those that end meanwhile. */
export function allStats(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const text = read(`/proc/${pid}/stat`);
      return text === undefined ? [] : [parseStat(text)];
    });
}

/** PSS of a process and its descendants, in bytes. */
export function pssOf(pid: number): number {
  return pidsOfTree(pid, allStats()).reduce((sum, each) => sum + parsePss(read(`/proc/${each}/smaps_rollup`) ?? ''), 0);
}

/** RSS of a process and its descendants, in bytes; pages that they share count for each. */
export function rssOfTree(pid: number, all: readonly Stat[]): number {
  return pidsOfTree(pid, all).reduce((sum, each) => {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${each}/status`) ?? '');
    return sum + Number(resident?.[1] ?? 0) * 1024;
  }, 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
