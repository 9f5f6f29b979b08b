export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples?: number[];
  timeDeltas?: number[];
}

export interface Spent {
  name: string;
  /** Of the time in which the process worked. */
  share: number;
}

const notWork = new Set(['(idle)', '(root)']);

/**
 * The npm package or project that a file belongs to; the runtime's own files are `node`, what has no file is named as
 * it is.
 */
export function packageOf(url: string, functionName: string): string {
  if (url === '') return /^\(.*\)$/.test(functionName) ? functionName : '(native)';
  if (url.startsWith('node:'))
    return `node:${url.slice(5).split('/')[0] === 'internal' ? url.slice(5).split('/').slice(0, 2).join('/') : url.slice(5)}`;
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (installed) return installed;
  const ours = /\/(apps|libs)\/([^/]+)\//.exec(url);
  return ours ? `${ours[1]}/${ours[2]}` : url;
}

/** Self time by package, and by function: what to look at first stands first. */
export function summarize({ nodes, samples = [], timeDeltas = [] }: CpuProfile): {
  packages: Spent[];
  functions: Spent[];
  busy: number;
} {
  const frames = new Map(nodes.map((n) => [n.id, n.callFrame]));
  const packages = new Map<string, number>();
  const functions = new Map<string, number>();
  let busy = 0;
  let all = 0;
  const add = (map: Map<string, number>, name: string, time: number): void =>
    void map.set(name, (map.get(name) ?? 0) + time);
  samples.forEach((id, i) => {
    const { functionName, url, lineNumber } = frames.get(id)!;
    const time = timeDeltas[i] ?? 0;
    all += time;
    if (notWork.has(functionName)) return;
    busy += time;
    const owner = packageOf(url, functionName);
    add(packages, owner, time);
    add(
      functions,
      url === ''
        ? functionName
        : `${functionName || '(anonymous)'}  ${owner} ${url.split('/').at(-1)}:${lineNumber + 1}`,
      time,
    );
  });
  const ranked = (map: Map<string, number>): Spent[] =>
    [...map].map(([name, time]) => ({ name, share: time / busy })).sort((a, b) => b.share - a.share);
  return { packages: ranked(packages), functions: ranked(functions), busy: busy / all };
}
