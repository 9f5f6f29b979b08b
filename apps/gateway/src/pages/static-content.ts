import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '@holdfast/platform';

/** Content that is the same for everybody, and does not change while the process runs. */
export interface StaticContent {
  type: string;
  content: Buffer;
  /** RFC 9110 §8.8.3, from the content. */
  etag: string;
  /** The content, compressed (RFC 7932, RFC 1952). */
  brotli?: Buffer;
  gzip?: Buffer;
}

/** A fifth larger than by the highest, which takes seconds for a megabyte; this one takes a tenth of a second. */
const brotliQuality = 6;

export function staticContent(type: string, content: Buffer): StaticContent {
  return { type, content, etag: `"${sha256(content).toString('base64url')}"` };
}

/** Compresses the content, outside of the event loop. */
export async function compressed(type: string, content: Buffer): Promise<StaticContent> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content),
  ]);
  return { ...staticContent(type, content), brotli, gzip: zipped };
}

/** Sends the content in the smallest form that the caller accepts, or 304 when the caller has it. */
export function sendStatic(
  found: StaticContent,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { content, etag, encoding } = representationOf(found, request.headers['accept-encoding']);
  void reply.headers({ 'cache-control': cacheControl, etag, vary: 'accept-encoding' });
  if (matches(request.headers['if-none-match'], etag)) void reply.code(304).send();
  else
    void reply
      .headers(encoding === undefined ? {} : { 'content-encoding': encoding })
      .type(found.type)
      .send(content);
}

/** A compressed form has another tag (RFC 9110 §8.8.3). */
function representationOf({ content, etag, brotli, gzip: zipped }: StaticContent, acceptEncoding = '') {
  const forms = { br: brotli, gzip: zipped };
  for (const [encoding, form] of Object.entries(forms))
    if (form && accepts(acceptEncoding, encoding))
      return { content: form, etag: etag.replace(/"$/, `-${encoding}"`), encoding };
  return { content, etag, encoding: undefined };
}

function accepts(acceptEncoding: string, encoding: string): boolean {
  const pattern = new RegExp(`^\\s*${encoding}\\s*(;\\s*q=(1|0\\.\\d*[1-9])\\d*\\s*)?$`);
  return acceptEncoding.split(',').some((coding) => pattern.test(coding));
}

/** RFC 9110 §13.1.2, with weak comparison: a proxy that compresses may have made the tag weak. */
function matches(given: string | undefined, etag: string): boolean {
  return (
    given !== undefined && given.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  );
}
