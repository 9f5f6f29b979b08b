import { readdirSync, readFileSync } from 'node:fs';

/** What /proc/<pid>/stat tells, times in clock ticks (proc(5)). */
export interface Stat {
  pid: number;
  parent: number;
  /** Of the process. */
  own: number;
  /** Of its children that have ended. */
  ended: number;
}

/** USER_HZ, which is 100 on every Linux that runs Node.js. */
const ticksPerSecond = 100;
const microsPerTick = 1e6 / ticksPerSecond;

export function parseStat(text: string): Stat {
  // The command's name may hold spaces and brackets, so count from its closing bracket.
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

/** CPU time that a process and those below it have used, in µs. A child that ended counts with its parent. */
export function cpuOfTree(pid: number, all: readonly Stat[]): number {
  const self = all.find((s) => s.pid === pid);
  if (!self) return 0;
  const below = all.filter((s) => s.parent === pid).reduce((sum, child) => sum + cpuOfTree(child.pid, all), 0);
  return (self.own + self.ended) * microsPerTick + below;
}

export function pidsOfTree(pid: number, all: readonly Stat[]): number[] {
  return [pid, ...all.filter((s) => s.parent === pid).flatMap((s) => pidsOfTree(s.pid, all))];
}

/** All processes of the machine; one that ends meanwhile is left out. */
export function allStats(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const text = read(`/proc/${pid}/stat`);
      return text === undefined ? [] : [parseStat(text)];
    });
}

/** PSS of a process and those below it, in bytes. */
export function pssOf(pid: number): number {
  return pidsOfTree(pid, allStats()).reduce((sum, each) => sum + parsePss(read(`/proc/${each}/smaps_rollup`) ?? ''), 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
