import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

/** What is measured again and again while something grows. */
export interface Lot {
  name: string;
  points: Point[];
}

export interface Point {
  size: number;
  /** By name and unit, such as `offer CPU µs`. */
  figures: Record<string, number>;
}

export function lotTable({ name, points }: Lot): string {
  const figures = [...new Set(points.flatMap((point) => Object.keys(point.figures)))];
  const rows = points.map(({ size, figures: of }) => [
    size.toLocaleString('en'),
    ...figures.map((each) => figure(of[each])),
  ]);
  return table([name, ...figures], rows);
}

/** CPU time that each process took since `before`, in µs, divided by `count`. */
export function cpuSince(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  count: number,
): Record<string, number> {
  return Object.fromEntries(
    [...after].map(([process, micros]) => [process, (micros - (before.get(process) ?? 0)) / count]),
  );
}

export function mediansOf(rounds: readonly Point['figures'][]): Point['figures'] {
  return Object.fromEntries(
    Object.keys(rounds[0] ?? {}).map((name) => [name, median(rounds.map((round) => round[name] ?? 0))]),
  );
}
