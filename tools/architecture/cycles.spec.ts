import { describe, expect, test } from '@jest/globals';
import { cyclesOf } from './cycles.ts';
import { filesBelow } from './files.ts';
import { importsOf, targetOf } from './imports.ts';

const sources = filesBelow().filter((f) => /^(apps|libs|examples|tools|bench)\/.+\.tsx?$/.test(f));
const exists = new Set(sources);

/** The file that an import means: sources of the apps import each other as the `.js` that they become. */
function fileOf(file: string, specifier: string): string | undefined {
  const target = targetOf(file, specifier);
  if (target === undefined) return undefined;
  const stem = target.replace(/\.jsx?$/, '');
  return [target, `${stem}.ts`, `${stem}.tsx`].find((path) => exists.has(path));
}

/** Tests and fixtures are left out of the folders' graph: they may use what lies above them. */
const isTest = (file: string): boolean => /\.(spec|fixture)\.tsx?$/.test(file);

const imports = new Map(sources.map((file) => [file, importsOf(file).flatMap((s) => fileOf(file, s) ?? [])]));

/** The feature folder of a file: the first folder below `src`. Files directly in `src` compose the app. */
function featureOf(file: string): string | undefined {
  const [, feature] = /^apps\/[^/]+\/src\/([^/]+)\//.exec(file) ?? [];
  return feature;
}

function featureGraph(app: string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const from = featureOf(file);
    if (!file.startsWith(`apps/${app}/src/`) || isTest(file) || from === undefined) continue;
    const to = targets.flatMap((target) => featureOf(target) ?? []).filter((feature) => feature !== from);
    graph.set(from, new Set([...(graph.get(from) ?? []), ...to]));
  }
  return graph;
}

/** The imports behind a cycle of folders, so that a failure says which lines to change. */
function importsBehind(app: string, cycle: string): string[] {
  const folders = cycle.split(' → ');
  return folders
    .slice(1)
    .flatMap((to, i) =>
      [...imports]
        .filter(([file]) => file.startsWith(`apps/${app}/src/${folders[i]}/`) && !isTest(file))
        .flatMap(([file, targets]) => targets.filter((t) => featureOf(t) === to).map((t) => `${file} → ${t}`)),
    );
}

describe('cycles', () => {
  test('of imports between files: there is none', () => {
    expect(cyclesOf(imports)).toEqual([]);
    // An empty graph has no cycles either.
    expect([...imports.values()].flat().length).toBeGreaterThan(1000);
  });

  const apps = [...new Set(sources.flatMap((f) => /^apps\/([^/]+)\/src\//.exec(f)?.[1] ?? []))].sort();

  test.each(apps)('of imports between the feature folders of %s: there is none', (app) => {
    const cycles = cyclesOf(featureGraph(app));
    expect(cycles.map((cycle) => ({ cycle, imports: importsBehind(app, cycle) }))).toEqual([]);
  });

  test('are found, and the shortest of each component is printed', () => {
    const graph = new Map([
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', ['a', 'd']],
      ['d', ['e']],
      ['e', []],
      ['x', ['y']],
      ['y', ['x']],
    ]);
    expect(cyclesOf(graph)).toEqual(['a → c → a', 'x → y → x']);
  });
});
