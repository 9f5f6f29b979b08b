import type { ReceivedSpan } from './otlp-receiver.fixture.ts';

const colours: Record<string, string> = {
  gateway: '#4263eb',
  auth: '#ae3ec9',
  issuance: '#0ca678',
  subjects: '#f08c00',
  audit: '#e03131',
  directory: '#1098ad',
  signals: '#868e96',
};
const rowHeight = 18;
const indent = 14;
const namesWidth = 560;
const barsWidth = 440;
const headingHeight = 34;

export interface TitledTrace {
  title: string;
  spans: ReceivedSpan[];
}

interface Row {
  span: ReceivedSpan;
  depth: number;
}

/** Draws traces below each other: a row for each span, under its parent, with a bar for its time. */
export function tracePicture(traces: TitledTrace[]): string {
  const body: string[] = [];
  let y = 40;
  for (const { title, spans } of traces) {
    const rows = rowsOf(spans);
    const startMs = Math.min(...spans.map((span) => span.startMs));
    const lengthMs = Math.max(...spans.map((span) => span.endMs)) - startMs;
    body.push(text(12, y + 22, `${title}, ${Math.round(lengthMs)} ms`, 'font-weight="600" font-size="14"'));
    y += headingHeight;
    for (const { span, depth } of rows) {
      const x = namesWidth + ((span.startMs - startMs) / lengthMs) * barsWidth;
      const width = Math.max(2, ((span.endMs - span.startMs) / lengthMs) * barsWidth);
      const colour = colours[span.service] ?? '#000';
      body.push(
        `<rect x="12" y="${y + 4}" width="4" height="10" fill="${colour}"/>`,
        text(22 + depth * indent, y + 13, span.name, ''),
        `<rect x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="10" rx="2" fill="${colour}"/>`,
      );
      y += rowHeight;
    }
    y += 8;
  }
  const legend = Object.entries(colours).flatMap(([service, colour], i) => {
    const x = 12 + i * 110;
    return [`<rect x="${x}" y="12" width="12" height="12" rx="2" fill="${colour}"/>`, text(x + 18, 22, service, '')];
  });
  const width = namesWidth + barsWidth + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 8}" width="${width}" height="${y + 8}"`,
    '  font-family="system-ui, sans-serif" font-size="12" fill="#212529">',
    `<rect width="${width}" height="${y + 8}" fill="#fff"/>`,
    ...legend,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

/** Depth first, children by their start. */
function rowsOf(spans: ReceivedSpan[]): Row[] {
  const ids = new Set(spans.map(({ id }) => id));
  const sorted = [...spans].sort((a, b) => a.startMs - b.startMs || a.name.localeCompare(b.name));
  const below = (parent: string | undefined, depth: number): Row[] =>
    sorted
      .filter(({ parentId }) => (parentId !== undefined && ids.has(parentId) ? parentId : undefined) === parent)
      .flatMap((span) => [{ span, depth }, ...below(span.id, depth + 1)]);
  return below(undefined, 0);
}

function text(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<text x="${x}" y="${y}" ${attributes}>${escaped}</text>`;
}
