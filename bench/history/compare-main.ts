// `npm run bench -- compare A B`: compares two saved results, without a stack.
import { compareResults, ratioTable, warningsOf } from './compare.ts';
import { fileNameOf, findResult } from './saved-results.ts';
import type { SavedResult } from './schema.ts';

const usage = `Usage: npm run bench -- compare A B

A and B are commits with a result in bench/results, or files. Prints B ÷ A of each case and process.
`;

const describe = (name: string, result: SavedResult): string => {
  const { requests } = result;
  const load = requests ? `, ${requests.rounds} rounds, load average ${requests.loadBefore} before` : '';
  return `${name}: ${fileNameOf(result)}, ${result.machine.cpu}${load}`;
};

const [first, second, ...more] = process.argv.slice(2);
if (first === undefined || second === undefined || more.length > 0 || first.startsWith('-')) {
  process.stderr.write(usage);
  process.exit(2);
}
try {
  const [a, b] = [findResult(first), findResult(second)];
  const ratios = compareResults(a, b);
  if (ratios.length === 0) throw new Error('The results have no case at the same concurrency in common.');
  const lines = [describe('A', a), describe('B', b), ...warningsOf(a, b), '', ratioTable(ratios)];
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
