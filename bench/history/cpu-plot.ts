import { figure } from '../table.ts';
import type { SavedResult } from './schema.ts';
import { bar, colourOf, svg, text } from './svg.ts';

const width = 860;
const left = 150;
const right = 70;
const legendHeight = 40;
const rowHeight = 20;
const gap = 32;

/** CPU per request of each case: one bar for each result, divided by process. */
export function cpuPlot(results: readonly SavedResult[]): string {
  const bars = results.flatMap((result) => (result.requests?.cases ?? []).map((each) => ({ result, ...each })));
  const cases = [...Map.groupBy(bars, ({ name, concurrency }) => `${name} at ${concurrency}`)];
  const processes = [...new Set(bars.flatMap((each) => Object.keys(each.processes)))].sort();
  const most = Math.max(1, ...bars.map(({ processes: of }) => sum(Object.values(of).map(({ median }) => median))));
  const scale = (width - left - right) / most;
  const column = (width - 20) / Math.max(1, Math.ceil(processes.length / 2));
  const content = processes.flatMap((name, i) => {
    const [x, y] = [10 + (i >> 1) * column, 6 + (i % 2) * 17];
    return [bar(x, y, 11, 11, colourOf(i)), text(x + 16, y + 10, name)];
  });
  let y = legendHeight;
  for (const [title, group] of cases) {
    content.push(text(10, y + 18, title, 'strong'));
    y += gap - 8;
    for (const { result, processes: of } of group) {
      content.push(
        text(
          left - 8,
          y + 13,
          result.commit.slice(0, 7) + (isOneMachine(results) ? '' : ` ${result.machine.id.slice(0, 4)}`),
          'end',
        ),
      );
      let x = left;
      for (const [i, process] of processes.entries()) {
        const micros = Math.max(0, of[process]?.median ?? 0);
        if (micros > 0)
          content.push(bar(x, y, micros * scale, rowHeight - 4, colourOf(i), `${process} ${figure(micros)} µs`));
        x += micros * scale;
      }
      content.push(text(x + 6, y + 13, `${figure((x - left) / scale)} µs`));
      y += rowHeight;
    }
    y += 8;
  }
  return svg(width, y + 8, 'CPU µs per request by process', ...content);
}

function isOneMachine(results: readonly SavedResult[]): boolean {
  return new Set(results.map(({ machine }) => machine.id)).size === 1;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
