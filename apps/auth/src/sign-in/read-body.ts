import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/kit';

/** @throws payload_too_large beyond `limit` bytes */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new AppError('payload_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Bytes of an assertion with its extensions: a few kilobytes. */
const jsonLimit = 65_536;

/** A JSON object; an empty body is an empty one. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  // No form of another site can send this type: a browser asks first, and we do not answer.
  if (type !== 'application/json') throw new AppError('unsupported_media_type');
  const text = (await readBody(request, jsonLimit)).toString('utf8');
  const value = parse(text || '{}');
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw unreadable();
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): AppError {
  return new AppError('invalid_request', 'The body is not a JSON object.', { status: 400 });
}
