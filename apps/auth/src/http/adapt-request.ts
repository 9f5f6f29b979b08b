import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { mediaTypeOf, readBody } from '@holdfast/platform';
import { routes } from '../request-context/issuer-paths.js';

/** Bytes of a form at a token endpoint or of the sign-out page: a kilobyte or two. */
const maxBytes = 16_384;

/**
 * Changes what the library would understand otherwise than the standards or our pages mean it. @throws
 * payload_too_large
 */
export async function adaptRequest(
  request: IncomingMessage,
  path: string,
  isPublicClient: (clientId: string) => Promise<boolean>,
): Promise<IncomingMessage> {
  if (request.method !== 'POST' || !isForm(request)) return request;
  if (path === `${routes.end_session}/confirm`) return onlyConfirmed(request);
  if (path === routes.userinfo) return withoutTokenInForm(request);
  return path === routes.token || path === routes.revocation ? withoutEmptySecret(request, isPublicClient) : request;
}

/**
 * Without `logout` the library takes the session from the app that asked, says "signed out", and leaves session and
 * tokens as they are. Our page has no such button: who does not want to sign out leaves it. So nothing is confirmed,
 * which the library refuses.
 */
async function onlyConfirmed(request: IncomingMessage): Promise<IncomingMessage> {
  const body = await readBody(request, { maxBytes });
  const answers = new URLSearchParams(body.toString('utf8')).getAll('logout');
  return replay(request, answers.length === 1 && answers[0] === 'yes' ? body : Buffer.alloc(0));
}

/**
 * RFC 6750 §2.2 allows a token in a form and does not recommend it: logs and caches know headers. Here it counts as
 * none.
 */
async function withoutTokenInForm(request: IncomingMessage): Promise<IncomingMessage> {
  const body = await readBody(request, { maxBytes });
  if (!new URLSearchParams(body.toString('utf8')).has('access_token')) return replay(request, body);
  delete request.headers.authorization;
  return replay(request, Buffer.alloc(0));
}

/**
 * RFC 6749 §2.3.1: a client without a secret may send HTTP Basic with an empty one. It says no more than `client_id` in
 * the body, by which the library knows public clients. Of any other client an empty secret is a wrong one.
 */
async function withoutEmptySecret(
  request: IncomingMessage,
  isPublicClient: (clientId: string) => Promise<boolean>,
): Promise<IncomingMessage> {
  const clientId = clientWithEmptySecret(request.headersDistinct.authorization);
  if (clientId === undefined || !(await isPublicClient(clientId))) return request;
  const body = (await readBody(request, { maxBytes })).toString('utf8');
  const given = new URLSearchParams(body).getAll('client_id');
  // Of two clients, or one named twice, the library says what is wrong.
  if (given.length > 0 && given[0] !== clientId) return replay(request, Buffer.from(body));
  delete request.headers.authorization;
  return replay(request, Buffer.from(given.length > 0 ? body : `client_id=${encodeURIComponent(clientId)}&${body}`));
}

/** Of `Basic base64("id:")`, where id and secret are form-encoded. */
function clientWithEmptySecret(authorization: string[] = []): string | undefined {
  const [, credentials] =
    authorization.length === 1 ? (/^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization[0]!) ?? []) : [];
  const [, id] = /^([^:]+):$/.exec(Buffer.from(credentials ?? '', 'base64').toString('utf8')) ?? [];
  return id === undefined ? undefined : new URLSearchParams(`id=${id}`).get('id')!;
}

function isForm({ headers }: IncomingMessage): boolean {
  return mediaTypeOf(headers['content-type']) === 'application/x-www-form-urlencoded';
}

/** The same request with a body that can be read: the one that came has been read. */
function replay(request: IncomingMessage, body: Buffer): IncomingMessage {
  delete request.headers['transfer-encoding'];
  request.headers['content-length'] = String(body.length);
  const source = Readable.from(body.length > 0 ? [body] : []);
  return Object.defineProperties(request, {
    readable: { value: true },
    iterator: { value: source.iterator.bind(source) },
  });
}
