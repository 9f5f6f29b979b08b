import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/kit';

/** Bytes of a request body (product §3); what we take is far smaller. */
export const bodyLimit = 100_000;

/** How deep a body may nest: deeper is an attack on whoever walks it. */
const depthLimit = 20;

/**
 * Reads a JSON body. It is read only now, when the caller is known and let in: nobody else can make us read or parse.
 * Undefined when there is no body.
 */
export async function readJson(body: IncomingMessage | undefined): Promise<unknown> {
  if (!body) return undefined;
  if (Number(body.headers['content-length'] ?? 0) > bodyLimit) throw new AppError('payload_too_large');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) throw new AppError('payload_too_large');
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  const type = (body.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/json') throw new AppError('unsupported_media_type');
  if (body.headers['content-encoding']) throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.');
  return parse(Buffer.concat(chunks));
}

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable('The body is not UTF-8.');
  }
  const { depth, members } = shapeOf(text);
  if (depth > depthLimit) throw unreadable(`The body nests deeper than ${depthLimit} levels.`);
  let read = 0;
  const value = parseJson(text, function (this: unknown, key, member) {
    if (key === '__proto__') throw unreadable('The body has a member __proto__.');
    if (!Array.isArray(this)) read += 1;
    return member;
  });
  // JSON.parse keeps the last of two members of one name without a word; the root counts as one more.
  if (read !== members + 1) throw unreadable('The body names a member twice.');
  return value;
}

function parseJson(text: string, reviver: (this: unknown, key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    throw error instanceof AppError ? error : unreadable('The body is not JSON.');
  }
}

/** How deep a JSON text nests, and how many members its objects name: outside of strings, each colon is one. */
function shapeOf(text: string): { depth: number; members: number } {
  let open = 0;
  let depth = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === ':') members += 1;
    else if (c === '{' || c === '[') depth = Math.max(depth, (open += 1));
    else if (c === '}' || c === ']') open -= 1;
  }
  return { depth, members };
}

function unreadable(detail: string): AppError {
  return new AppError('invalid_request', detail, { status: 400, errors: [{ pointer: '#', detail: 'could not be read as JSON' }] });
}
