import { figure } from '../table.ts';
import { cpuPlot } from './cpu-plot.ts';
import { growthPlot } from './growth-plot.ts';
import { dateOf, readResults } from './saved-results.ts';
import type { SavedResult } from './schema.ts';

/** The page of docs/reference and its images, by file name. */
export function benchmarkPages(results: readonly SavedResult[] = readResults()): Record<string, string> {
  const grown = results.filter(({ growth }) => growth);
  const blocks = [
    '# Benchmark results',
    '<!-- Generated from bench/results by `node tools/generate.mjs`. Do not edit. -->',
    'What `npm run bench -- --save` measured ([how to read it](../../bench/README.md)). Compare two results with ' +
      '`npm run bench -- compare A B`, two commits on a machine that others use with `npm run bench -- ab COMMIT`.',
    ...(results.length > 0
      ? [
          resultTable(results),
          '## CPU per request',
          'CPU µs per request over all processes, medians of the rounds.',
          '![CPU µs per request by process](benchmark-cpu.svg)',
        ]
      : ['No result is saved yet.']),
    ...(grown.length > 0
      ? [
          '## Growth',
          'Each figure from zero, over the size on a logarithmic axis.',
          '![Figures by size](benchmark-growth.svg)',
        ]
      : []),
  ];
  return {
    'benchmarks.md': `${blocks.join('\n\n')}\n`,
    ...(results.length > 0 && { 'benchmark-cpu.svg': cpuPlot(results) }),
    ...(grown.length > 0 && { 'benchmark-growth.svg': growthPlot(results) }),
  };
}

function resultTable(results: readonly SavedResult[]): string {
  const head = [
    'Commit',
    'Date',
    'Machine',
    'Node.js',
    'PostgreSQL',
    'nats-server',
    'Rounds',
    'Load before',
    'Not flat',
  ];
  const rows = results.map((result) => {
    const { machine, versions, requests, commit } = result;
    const notFlat = new Set((requests?.cases ?? []).filter(({ warmUp }) => !warmUp.flat).map(({ name }) => name));
    return [
      `\`${commit.slice(0, 12)}\``,
      dateOf(result).slice(0, 10),
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB (\`${machine.id}\`)`,
      versions.node,
      versions.postgresql,
      versions.natsServer,
      requests ? `${requests.rounds} of ${requests.seconds} s` : '–',
      [requests, ...Object.values(result.growth ?? {})]
        .flatMap((part) => (part ? [figure(part.loadBefore)] : []))
        .join(', '),
      [...notFlat].join(', ') || '–',
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
