import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { mediaTypeOf, readBody } from '@holdfast/platform';
import { presentedPrefix } from '../organization-issuer/jwt-access-tokens.js';
import { withoutFragmentMode } from '../organization-issuer/response-modes.js';
import { routes } from '../request-context/issuer-paths.js';

/** Of a form for a token endpoint or the sign-out page, which has one or two kilobytes. */
const maxBytes = 16_384;
/** Of a pushed authorization request, as of one by a form (redirect-form-to-query.ts). */
const maxPushedBytes = 8192;

/** Changes requests that oidc-provider reads differently from the standards or our pages. @throws payload_too_large */
export async function adaptRequest(
  request: IncomingMessage,
  path: string,
  isPublicClient: (clientId: string) => Promise<boolean>,
): Promise<IncomingMessage> {
  if (request.method !== 'POST' || !isForm(request)) return request;
  if (path === `${routes.end_session}/confirm`) return onlyConfirmed(request);
  if (path === routes.userinfo) return withoutTokenInForm(request);
  const form = clientForms[path];
  return form === undefined ? request : adaptClientForm(request, form, isPublicClient);
}

/**
 * Without `logout` the library would sign the customer out of the requesting app only, show "signed out", and keep
 * session and tokens. Our page has no such button. An empty body confirms nothing, and the library responds 400.
 */
async function onlyConfirmed(request: IncomingMessage): Promise<IncomingMessage> {
  const body = await readBody(request, { maxBytes });
  const values = new URLSearchParams(body.toString('utf8')).getAll('logout');
  return replay(request, values.length === 1 && values[0] === 'yes' ? body : Buffer.alloc(0));
}

/** Ignores a token in a form. RFC 6750 §2.2 allows and discourages it, since logs and caches redact headers only. */
async function withoutTokenInForm(request: IncomingMessage): Promise<IncomingMessage> {
  const body = await readBody(request, { maxBytes });
  if (!new URLSearchParams(body.toString('utf8')).has('access_token')) return replay(request, body);
  delete request.headers.authorization;
  return replay(request, Buffer.alloc(0));
}

interface ClientForm {
  edit?: (form: string) => string;
  limit?: number;
}

/** A JWT is marked, since the library would refuse it without looking at it (jwt-access-tokens.ts). */
const namesToken = { edit: (form: string) => form.replace(/(^|&)token=(?=[^&]*\.)/, `$1token=${presentedPrefix}`) };

/** The endpoints at which clients authenticate, and what becomes of their forms. */
const clientForms: Readonly<Record<string, ClientForm>> = {
  [routes.token]: {},
  [routes.device_authorization]: {},
  [routes.revocation]: namesToken,
  [routes.introspection]: namesToken,
  [routes.pushed_authorization_request]: { edit: withoutFragmentMode, limit: maxPushedBytes },
};

/**
 * RFC 6749 §2.3.1: a client without a secret may send HTTP Basic with an empty one. The library identifies public
 * clients by `client_id` in the body only, so the id moves there. For any other client an empty secret is a wrong one.
 */
async function adaptClientForm(
  request: IncomingMessage,
  { edit, limit = maxBytes }: ClientForm,
  isPublicClient: (clientId: string) => Promise<boolean>,
): Promise<IncomingMessage> {
  const presented = clientWithEmptySecret(request.headersDistinct.authorization);
  const clientId = presented !== undefined && (await isPublicClient(presented)) ? presented : undefined;
  if (clientId === undefined && !edit) return request;
  let body = (await readBody(request, { maxBytes: limit })).toString('utf8');
  if (edit) body = edit(body);
  const given = new URLSearchParams(body).getAll('client_id');
  // The library responds with the error for two clients, or for one that is named twice.
  if (clientId !== undefined && (given.length === 0 || given[0] === clientId)) {
    delete request.headers.authorization;
    if (given.length === 0) body = `client_id=${encodeURIComponent(clientId)}&${body}`;
  }
  return replay(request, Buffer.from(body));
}

/** The id in `Basic base64("id:")`, where id and secret are form-encoded. */
function clientWithEmptySecret(authorization: string[] = []): string | undefined {
  const [, credentials] =
    authorization.length === 1 ? (/^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization[0]!) ?? []) : [];
  const [, id] = /^([^:]+):$/.exec(Buffer.from(credentials ?? '', 'base64').toString('utf8')) ?? [];
  return id === undefined ? undefined : new URLSearchParams(`id=${id}`).get('id')!;
}

function isForm({ headers }: IncomingMessage): boolean {
  return mediaTypeOf(headers['content-type']) === 'application/x-www-form-urlencoded';
}

/** The same request with a body that can be read again. */
function replay(request: IncomingMessage, body: Buffer): IncomingMessage {
  delete request.headers['transfer-encoding'];
  request.headers['content-length'] = String(body.length);
  const source = Readable.from(body.length > 0 ? [body] : []);
  return Object.defineProperties(request, {
    readable: { value: true },
    iterator: { value: source.iterator.bind(source) },
  });
}
