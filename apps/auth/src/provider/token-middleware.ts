import type { EventEmitter } from 'node:events';
import type { Logger } from '@holdfast/kit';
import type { Provider } from 'oidc-provider';
import { tokenRoute } from './platform-provider.js';
import type { TokenAudit } from './token-audit.js';
import { beginTokenRequest, tokenRequestOf, type HttpContext, type TokenRequest } from './token-request.js';

/** Bytes of a form: Basic credentials are no part of it, so a few hundred are the rule. */
const largestBody = 16_384;
/** What is larger is not even read to its end. */
const largestDrained = 2_097_152;

interface OAuthBody {
  error?: string;
  error_description?: string;
  scope?: string;
}

/** Stands around the library's token endpoint: refuses early what needs no work, and lets no answer out before its record. */
export function guardTokenEndpoint(provider: Provider, audit: TokenAudit, logger: Logger): void {
  provider.use(async (ctx, next) => {
    const request = beginTokenRequest(ctx, tokenRoute);
    const refusal = refuseEarly(ctx);
    if (refusal) answer(ctx, ...refusal);
    else await next();
    await finish(ctx, request, audit, logger);
  });
  // error_detail says more than the caller is told; it never holds a credential.
  provider.on('grant.error', (ctx, { error, error_detail: detail }) => {
    const { info, client } = tokenRequestOf(ctx);
    logger.info({ requestId: info.id, clientId: client?.app.clientId, org: client?.app.org, error, detail }, 'refused a token');
  });
  provider.on('server_error', (ctx, err) => logger.error({ requestId: tokenRequestOf(ctx).info.id, err }, 'the token endpoint failed'));
  // Koa would write to standard error otherwise; these are broken connections.
  (provider as EventEmitter).on('error', (err: Error) => logger.debug({ err: err.message }, 'a token request broke off'));
}

function refuseEarly(ctx: HttpContext): [status: number, error: string, description: string] | undefined {
  const length = Number(ctx.get('content-length') || 0);
  if (length > largestBody) {
    if (length > largestDrained) ctx.set('Connection', 'close');
    return [413, 'invalid_request', `the body is larger than ${largestBody} bytes`];
  }
  // RFC 6749 §2.3.1: credentials must not be in the URI, where logs keep them.
  if (ctx.querystring) return [400, 'invalid_request', 'parameters belong in the body, not in the URI'];
  if (!ctx.get('authorization')) return [401, 'invalid_client', 'client authentication failed'];
  return undefined;
}

function answer(ctx: HttpContext, status: number, error: string, error_description: string): void {
  ctx.status = status;
  ctx.body = { error, error_description };
}

async function finish(ctx: HttpContext, request: TokenRequest, audit: TokenAudit, logger: Logger): Promise<void> {
  const body = (ctx.body ?? {}) as OAuthBody;
  try {
    await audit.record(request, { status: ctx.status, ...(body.error && { error: body.error }), ...(body.scope && { scope: body.scope }) });
  } catch (error) {
    logger.warn({ requestId: request.info.id, reason: String(error) }, 'gave no token out, since it could not be recorded');
    // It would say that the secret was wrong.
    ctx.remove('WWW-Authenticate');
    answer(ctx, 503, 'temporarily_unavailable', 'try again in a moment');
  }
  // The library stops reading what is too long; unread, it would hold its connection.
  if (!ctx.req.complete) ctx.req.resume();
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Request-Id', request.info.id);
  // For programs, not for pages: no other origin may read it.
  ctx.remove('Access-Control-Allow-Origin');
  if (ctx.status === 401) ctx.set('WWW-Authenticate', `Basic realm="${(ctx.app as Provider).issuer}", charset="UTF-8"`);
  if (ctx.status === 503) ctx.set('Retry-After', '1');
}
