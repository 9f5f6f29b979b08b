import { FormatError } from './text.js';

/** The newest checkpoints of many logs, as lines of JSON: `{"org":"acme","note":"…"}`. */
export function formatCheckpointLines(notes: Iterable<readonly [org: string, note: string]>): string {
  return Array.from(notes, ([org, note]) => `${JSON.stringify({ org, note })}\n`).join('');
}

/** @throws FormatError when it is anything else, or ends within a line */
export function parseCheckpointLines(text: string): [org: string, note: string][] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new FormatError('The last line is incomplete');
  return lines.map((line, index) => {
    const { org, note } = parsed(line) ?? {};
    if (typeof org !== 'string' || typeof note !== 'string')
      throw new FormatError(`Line ${index + 1} is not {"org":"…","note":"…"}`);
    return [org, note];
  });
}

function parsed(line: string): { org?: unknown; note?: unknown } | null {
  try {
    return JSON.parse(line) as { org?: unknown; note?: unknown } | null;
  } catch {
    return null;
  }
}
