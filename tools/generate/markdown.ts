/** A page of the reference. Whoever opens it must see that writing in it is of no use. */
export function page(title: string, source: string, ...parts: string[]): string {
  const note = `<!-- Generated from ${source} by \`node tools/generate.mjs\`. Change that, not this. -->`;
  return `${[`# ${title}`, note, ...parts].join('\n\n')}\n`;
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string =>
    `| ${cells.map((c) => c.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** Each as code, or a dash for none. */
export function codes(names: readonly string[]): string {
  return names.length > 0 ? names.map(code).join(', ') : '–';
}
