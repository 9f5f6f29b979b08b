import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';
import { concat, textOfUtf8 } from '@holdfast/tlog/platform';
import { parseUnambiguous } from './unambiguous-json.js';

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
 * @param line undefined when it is not UTF-8 or too long
 * @returns undefined when it is not a JSON object, or has a member twice
 */
export function parseLine(line: string | undefined): LogLine | undefined {
  if (line === undefined) return undefined;
  try {
    const object = parseUsualForm(line) ?? parseUnambiguous(line);
    return isObject(object) ? (object as unknown as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
  const rest = parseUnambiguous(`{"seq":${seq}${line.slice(hashEnd + 1)}`) as Omit<
    ExportedAuditEntry,
    'leaf' | 'leafHash'
  >;
  // A duplicate member, which parsing the whole line refuses.
  if ('leaf' in rest || 'leafHash' in rest) return undefined;
  return Object.assign(rest, { leaf, leafHash });
}

const newline = 0x0a;
/** Longer than any entry (64 kB) with its mappings and personal values. */
const maxLineBytes = 4_000_000;
const noBytes = new Uint8Array();

/**
 * The lines of a stream without their newlines, one array per chunk, since a log has millions of lines. A line that is
 * not UTF-8, or longer than any line of an exported log, is undefined.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<(string | undefined)[]> {
  let rest: Uint8Array = noBytes;
  let isTooLong = false;
  /** The beginning of a line, which continues in the next chunk. What is too long is not stored. */
  const keep = (bytes: Uint8Array) => {
    isTooLong ||= bytes.length > maxLineBytes;
    rest = isTooLong ? noBytes : bytes;
  };
  for await (const chunk of chunks) {
    const lines: (string | undefined)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      // Only a line that spans two chunks is concatenated: copying each chunk would cost more.
      const bytes = rest.length > 0 ? concat([rest, chunk.subarray(start, end)]) : chunk.subarray(start, end);
      lines.push(isTooLong || bytes.length > maxLineBytes ? undefined : textOfUtf8(bytes));
      [rest, isTooLong] = [noBytes, false];
      start = end + 1;
    }
    const tail = chunk.subarray(start);
    if (!isTooLong) keep(rest.length > 0 ? concat([rest, tail]) : tail);
    if (lines.length > 0) yield lines;
  }
  if (isTooLong || rest.length > 0) yield [isTooLong ? undefined : textOfUtf8(rest)];
}
