/**
 * Columns as wide as their widest line; the first is aligned to the left, the others to the right. A cell may have
 * several lines.
 */
export function table(head: string[], cells: string[][]): string {
  const rows = cells.flatMap(linesOf);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((w) => '-'.repeat(w)).join('  '), ...rows.map(line)].join('\n');
}

/** The lines that a row takes: as many as its tallest cell. */
function linesOf(row: string[]): string[][] {
  const cells = row.map((cell) => cell.split('\n'));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, i) => cells.map((lines) => lines[i] ?? ''));
}

/** Three significant digits; `-` without a value. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '-';
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
