/** Columns as wide as their longest cell. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

/** One name and value per line, with aligned values. */
export function sheet(fields: Record<string, string | undefined>): string {
  const shown = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints the reply as JSON for programs, or as text. */
export function show(reply: unknown, json: boolean | undefined, asText: () => string): void {
  print(json ? JSON.stringify(reply, null, 2) : asText());
}

/** Resolves when the reader of standard output has taken it, so that nothing is collected for a slow one. */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}
