/** An image whose text and lines follow the colour scheme of the reader. */
export function svg(width: number, height: number, title: string, ...content: string[]): string {
  const style =
    'text{font:12px sans-serif;fill:#333}.end{text-anchor:end}.strong{font-weight:bold}.axis{stroke:#999}' +
    '@media(prefers-color-scheme:dark){text{fill:#ddd}}';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<style>${style}</style>`,
    ...content,
    '</svg>\n',
  ].join('\n');
}

export function text(x: number, y: number, value: string, classes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}"${classes && ` class="${classes}"`}>${escape(value)}</text>`;
}

/** `title` appears under the pointer. */
export function bar(x: number, y: number, width: number, height: number, colour: string, title = ''): string {
  const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" fill="${colour}"`;
  return title ? `<rect ${place}><title>${escape(title)}</title></rect>` : `<rect ${place}/>`;
}

export function axis(x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="axis" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

/** A line through points, each of them marked. */
export function line(points: readonly (readonly [number, number])[], colour: string): string {
  const path = points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ');
  const marks = points.map(([x, y]) => `<circle cx="${round(x)}" cy="${round(y)}" r="3" fill="${colour}"/>`);
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${marks.join('')}`;
}

/** Of medium lightness, so that they stand out from a white and from a black background. */
const colours = [
  '#4e79a7',
  '#f28e2b',
  '#59a14f',
  '#e15759',
  '#76b7b2',
  '#b07aa1',
  '#9c755f',
  '#edc948',
  '#ff9da7',
  '#8c8c8c',
];

export function colourOf(index: number): string {
  return colours[index % colours.length]!;
}

const round = (value: number): number => Number(value.toFixed(1));

function escape(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
