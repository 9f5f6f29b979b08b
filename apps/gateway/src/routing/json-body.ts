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
  // Before parsing, since JSON.parse keeps the last of two members of one name without a word.
  if (depthOf(text) > depthLimit) throw unreadable(`The body nests deeper than ${depthLimit} levels.`);
  try {
    const value: unknown = JSON.parse(text, refuseProto);
    return value;
  } catch {
    throw unreadable('The body is not JSON.');
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('__proto__');
  return value;
}

function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') most = Math.max(most, (depth += 1));
    else if (c === '}' || c === ']') depth -= 1;
  }
  return most;
}

function unreadable(detail: string): AppError {
  return new AppError('invalid_request', detail, { status: 400, errors: [{ pointer: '#', detail: 'could not be read as JSON' }] });
}
