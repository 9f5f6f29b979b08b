import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';
import { concat, textOf } from '@holdfast/tlog/platform';

/**
 * An exported log has one JSON object per line: a header, every entry in ascending order, and an end, without which the
 * file is truncated. docs/audit-proofs.md describes the format.
 */
export const fileType = 'holdfast-audit-log';
export const fileVersion = 1;

export interface LogHeader {
  type: typeof fileType;
  version: typeof fileVersion;
  /** The log, by the name of its key. */
  origin: string;
}

export interface LogEnd {
  type: 'end';
  count: number;
  lastSeq: number;
  /** A signed note that covers all entries of the file. */
  checkpoint: string;
  /** The largest delay with which an entry was appended after a later one; absent in older files. */
  lateMs?: number;
  /**
   * Size of the log when the reading began; present when it continued after that, because entries were dropped
   * meanwhile.
   */
  began?: number;
  /** The log could not be signed any more at the time of the export. */
  broken?: AuditBroken;
}

export type LogLine = LogHeader | ExportedAuditEntry | LogEnd;

/** The beginning of an entry as this program writes it. */
const begin = /^\{"seq":([1-9]\d{0,14}),"leaf":"/;
const middle = '","leafHash":"';

/**
 * Parses a line, in whichever JSON form. Its members are not checked.
 *
 * @returns undefined when it is not a JSON object
 */
export function parseLine(line: string): LogLine | undefined {
  try {
    const object = (parseUsualForm(line) ?? JSON.parse(line)) as unknown;
    return typeof object === 'object' && object !== null ? (object as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Skips the bytes in base64, which are two thirds of an entry and need no JSON parser.
 *
 * @returns undefined when the line has another form and must be parsed as a whole
 */
function parseUsualForm(line: string): ExportedAuditEntry | undefined {
  const [start, seq] = begin.exec(line) ?? [];
  if (start === undefined) return undefined;
  const leafEnd = line.indexOf('"', start.length);
  const hashStart = leafEnd + middle.length;
  const hashEnd = line.indexOf('"', hashStart);
  if (!line.startsWith(middle, leafEnd) || !line.startsWith('",', hashEnd)) return undefined;
  const [leaf, leafHash] = [line.slice(start.length, leafEnd), line.slice(hashStart, hashEnd)];
  if (leaf.includes('\\') || leafHash.includes('\\')) return undefined;
  const rest = JSON.parse(`{"seq":${seq}${line.slice(hashEnd + 1)}`) as Omit<ExportedAuditEntry, 'leaf' | 'leafHash'>;
  // A duplicate member: JSON.parse takes the last one.
  if (rest.seq !== Number(seq) || 'leaf' in rest || 'leafHash' in rest) return undefined;
  return Object.assign(rest, { leaf, leafHash });
}

const newline = 0x0a;
/** Longer than any entry (64 kB) with its mappings and personal values. */
const maxLineBytes = 4_000_000;

/**
 * The lines of a stream without their newlines, one array per chunk, since a log has millions of lines.
 *
 * @throws Error when a line is longer than any line of an exported log
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      // Only a line that spans two chunks is concatenated: copying each chunk would cost more.
      lines.push(
        start === 0 && rest.length > 0
          ? textOf(concat([rest, chunk.subarray(0, end)]))
          : textOf(chunk.subarray(start, end)),
      );
      start = end + 1;
    }
    rest = start === 0 && rest.length > 0 ? concat([rest, chunk]) : chunk.subarray(start);
    if (rest.length > maxLineBytes) throw new Error('A line is longer than any line of an exported log');
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [textOf(rest)];
}
