export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples?: number[];
  timeDeltas?: number[];
}

export interface SelfTime {
  name: string;
  /** Share of the time in which the process was busy. */
  share: number;
}

const idleFrames = new Set(['(idle)', '(root)']);

/**
 * The npm package or project of a file, or the module of Node.js. Frames without a file keep their name, like
 * `(garbage collector)`, or are `(native)`.
 */
export function packageOf(url: string, functionName: string): string {
  if (url === '') return /^\(.*\)$/.test(functionName) ? functionName : '(native)';
  if (url.startsWith('node:')) return /^node:internal\/[^/]+/.exec(url)?.[0] ?? url;
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (installed) return installed;
  const project = /\/(apps|libs)\/([^/]+)\//.exec(url);
  return project ? `${project[1]}/${project[2]}` : url;
}

/** Self time by package and by function, largest first. */
export function summarize({ nodes, samples = [], timeDeltas = [] }: CpuProfile): {
  packages: SelfTime[];
  functions: SelfTime[];
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
    if (idleFrames.has(functionName)) return;
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
  const ranked = (map: Map<string, number>): SelfTime[] =>
    [...map].map(([name, time]) => ({ name, share: time / busy })).sort((a, b) => b.share - a.share);
  return { packages: ranked(packages), functions: ranked(functions), busy: busy / all };
}
