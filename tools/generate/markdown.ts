/** A page of the reference. Its note keeps readers from editing it. */
export function page(title: string, source: string, ...blocks: string[]): string {
  const note = `<!-- Generated from ${source} by \`node tools/generate.mjs\`. Do not edit. -->`;
  return `${[`# ${title}`, note, ...blocks].join('\n\n')}\n`;
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string =>
    `| ${cells.map((c) => c.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** All names as code, or a dash when there are none. */
export function codes(names: readonly string[]): string {
  return names.length > 0 ? names.map(code).join(', ') : '–';
}
