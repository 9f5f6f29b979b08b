import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OutboundResponse } from '@holdfast/platform';
import type { Target } from './kind.js';

const compress = promisify(gzip);

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Of a receiver whose response says more than its status. A longer one is an error. */
  maxResponseBytes?: number;
}

/** Sends a body by POST, compressed where the destination says so. */
export async function post(
  { settings, outbound, timeoutMs }: Target<{ compression?: 'gzip' | undefined }, unknown>,
  { url, headers, body, maxResponseBytes }: Post,
): Promise<OutboundResponse> {
  const isCompressed = settings.compression === 'gzip';
  return outbound.request(url, {
    headers: { ...headers, ...(isCompressed && { 'content-encoding': 'gzip' }) },
    body: isCompressed ? await compress(body) : body,
    timeoutMs,
    ...(maxResponseBytes === undefined ? { ignoresRest: true } : { maxBytes: maxResponseBytes }),
  });
}
