import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';

/**
 * A log in a file, one JSON object a line: a header, every entry in ascending order, and an end without which the file
 * was cut off. docs/audit-proofs.md describes it.
 */
export const fileType = 'holdfast-audit-log';
export const fileVersion = 1;

export interface LogHeader {
  type: typeof fileType;
  version: typeof fileVersion;
  /** Which log: the name of its key. */
  origin: string;
}

export interface LogEnd {
  type: 'end';
  count: number;
  lastSeq: number;
  /** Signed note that covers all entries of the file. */
  checkpoint: string;
  /** By how much an entry has come behind a later one, at most; absent in older files. */
  lateMs?: number;
  /**
   * How many entries there were when the reading began; present when it went on behind them, because entries were
   * dropped meanwhile.
   */
  began?: number;
  /** The log could not be signed any more when it was exported. */
  broken?: AuditBroken;
}

export type LogLine = LogHeader | ExportedAuditEntry | LogEnd;

/** How an entry begins that is written as we do. */
const begin = /^\{"seq":([1-9]\d{0,14}),"leaf":"/;
const middle = '","leafHash":"';

/**
 * What a line says, in whichever form it is written; undefined when it is no JSON object. Of its members nothing is
 * known.
 */
export function parseLine(line: string): LogLine | undefined {
  try {
    const object = (quickly(line) ?? JSON.parse(line)) as unknown;
    return typeof object === 'object' && object !== null ? (object as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Two thirds of an entry are bytes in base64, where JSON has nothing to look for; undefined when it must be looked at
 * whole.
 */
function quickly(line: string): ExportedAuditEntry | undefined {
  const [start, seq] = begin.exec(line) ?? [];
  if (start === undefined) return undefined;
  const leafEnd = line.indexOf('"', start.length);
  const hashStart = leafEnd + middle.length;
  const hashEnd = line.indexOf('"', hashStart);
  if (!line.startsWith(middle, leafEnd) || !line.startsWith('",', hashEnd)) return undefined;
  const [leaf, leafHash] = [line.slice(start.length, leafEnd), line.slice(hashStart, hashEnd)];
  if (leaf.includes('\\') || leafHash.includes('\\')) return undefined;
  const rest = JSON.parse(`{"seq":${seq}${line.slice(hashEnd + 1)}`) as Omit<ExportedAuditEntry, 'leaf' | 'leafHash'>;
  // A member that comes twice: JSON takes the last one.
  if (rest.seq !== Number(seq) || 'leaf' in rest || 'leafHash' in rest) return undefined;
  return Object.assign(rest, { leaf, leafHash });
}

const newline = 0x0a;
/** Longer than any entry (64 kB) with all that is opened of it. */
const longestLine = 4_000_000;

/**
 * Lines of a stream of bytes, without their newlines; as many at a time as a chunk has, since a log has millions.
 * @throws Error when a line is too long to be one of ours
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      // Only the line that two chunks share is put together: a copy of each chunk would cost more.
      lines.push(
        start === 0 && rest.length > 0
          ? Buffer.concat([rest, chunk.subarray(0, end)]).toString()
          : chunk.toString('utf8', start, end),
      );
      start = end + 1;
    }
    rest = start === 0 && rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk.subarray(start);
    if (rest.length > longestLine) throw new Error('A line is longer than any line of an exported log');
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [rest.toString()];
}
