import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/app-error.js';
import { readBody, type BodyLimits } from './read-body.js';
import { parseStrictJson } from './strict-json.js';

/**
 * Reads a JSON body of one of these media types; undefined when there is none.
 * @throws payload_too_large, request_timeout, client_closed_request, unsupported_media_type, invalid_request (400)
 */
export async function readJson(
  request: IncomingMessage,
  limits: BodyLimits,
  mediaTypes: readonly string[] = ['application/json'],
): Promise<unknown> {
  const bytes = await readBody(request, limits);
  if (bytes.length === 0) return undefined;
  requireJson(request, mediaTypes);
  return parseStrictJson(bytes);
}

/**
 * Reads a JSON object; an empty body is an empty object. The content type is required for an empty body as well: a page
 * of another site cannot send it without a CORS preflight (Fetch, "CORS-safelisted request-header"), which is not
 * answered.
 */
export async function readJsonObject(request: IncomingMessage, limits: BodyLimits): Promise<Record<string, unknown>> {
  requireJson(request, ['application/json']);
  const value = await readJson(request, limits);
  if (value === undefined) return {};
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new AppError('invalid_request', 'The body is not a JSON object.', {
      status: 400,
      errors: [{ pointer: '#', detail: 'must be an object' }],
    });
  }
  return value as Record<string, unknown>;
}

function requireJson({ headers }: IncomingMessage, mediaTypes: readonly string[]): void {
  if (!mediaTypes.includes(mediaTypeOf(headers['content-type']))) throw new AppError('unsupported_media_type');
  if (headers['content-encoding'])
    throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.');
}

/** The media type without parameters, in lower case. */
export function mediaTypeOf(contentType = ''): string {
  return contentType.split(';')[0]!.trim().toLowerCase();
}
