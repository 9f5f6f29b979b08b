import { figure } from '../table.ts';
import type { SavedLot, SavedResult } from './schema.ts';
import { axis, colourOf, line, svg, text } from './svg.ts';

const columns = 3;
const panel = { width: 286, height: 190 };
const inner = { left: 12, top: 44, width: 250, height: 112 };

interface Curve {
  result: number;
  points: SavedLot['points'];
}

/** A panel for each figure of each lot: the figure from zero upwards, over the size on a logarithmic axis. */
export function growthPlot(results: readonly SavedResult[]): string {
  const lots = new Map<string, Curve[]>();
  for (const [result, { growth = {} }] of results.entries())
    for (const [lot, { points }] of Object.entries(growth))
      lots.set(lot, [...(lots.get(lot) ?? []), { result, points }]);
  const panels = [...lots].flatMap(([lot, curves]) => {
    const names = new Set(curves.flatMap(({ points }) => points.flatMap((point) => Object.keys(point.figures))));
    return [...names].map((name) => ({ lot, name, curves }));
  });
  const withGrowth = [...results.entries()].filter(([, { growth }]) => growth);
  const legend = withGrowth.map(([i, { commit }], n) => {
    const x = 10 + n * 90;
    return `${line(
      [
        [x, 12],
        [x + 16, 12],
      ],
      colourOf(i),
    )}${text(x + 22, 16, commit.slice(0, 7))}`;
  });
  const content = panels.map(({ lot, name, curves }, i) => {
    const [x, y] = [(i % columns) * panel.width, 24 + Math.floor(i / columns) * panel.height];
    return `<g transform="translate(${x} ${y})">\n${panelOf(`${name}, by ${lot}`, name, curves)}\n</g>`;
  });
  const height = 24 + Math.ceil(panels.length / columns) * panel.height;
  return svg(columns * panel.width, height, 'Figures by size', ...legend, ...content);
}

function panelOf(title: string, name: string, curves: readonly Curve[]): string {
  const drawn = curves.map(({ result, points }) => ({
    result,
    points: points.flatMap(({ size, figures }) => (name in figures ? [{ size, value: figures[name]! }] : [])),
  }));
  const all = drawn.flatMap(({ points }) => points);
  const sizes = all.map(({ size }) => Math.log10(size));
  const [first, last] = [Math.min(...sizes), Math.max(...sizes)];
  const most = Math.max(...all.map(({ value }) => value)) || 1;
  const { left, top, width, height } = inner;
  const place = ({ size, value }: { size: number; value: number }) =>
    [left + ((Math.log10(size) - first) / (last - first || 1)) * width, top + height * (1 - value / most)] as const;
  return [
    text(left, 20, title, 'strong'),
    text(left, 38, `to ${figure(most)}`),
    axis(left, top, left, top + height),
    axis(left, top + height, left + width, top + height),
    text(left, top + height + 16, (10 ** first).toLocaleString('en', { maximumFractionDigits: 0 })),
    text(left + width, top + height + 16, (10 ** last).toLocaleString('en', { maximumFractionDigits: 0 }), 'end'),
    ...drawn.map(({ result, points }) => line(points.map(place), colourOf(result))),
  ].join('\n');
}
