import type { EventEmitter } from 'node:events';
import type { Provider } from 'oidc-provider';
import type { ErrorOrigin } from '@holdfast/contracts';
import { AppError, LogBudget, type Logger } from '@holdfast/platform';
import { TooManyRequests } from '../clients/client-limits.js';
import { noteOutcome, originHeaders } from '../request-context/http-outcome.js';
import { beginIssuerRequest, issuerRequestOf, type HttpContext, type IssuerRequest } from '../request-context/issuer-request.js';
import { tokenRoute } from './platform-provider.js';
import type { TokenAudit } from './token-audit.js';

/** Bytes of a form: Basic credentials are no part of it, so a few hundred are the rule. */
const largestBody = 16_384;
/** What is larger is not even read to its end. */
const largestDrained = 2_097_152;

const unexpected = new LogBudget(10);

interface OAuthBody {
  error?: string;
  error_description?: string;
  scope?: string;
}

/**
 * Stands around the library's token endpoint: refuses early what needs no work, and lets no answer out before its
 * record.
 */
export function guardTokenEndpoint(provider: Provider, audit: TokenAudit, logger: Logger): void {
  provider.use(async (ctx, next) => {
    const request = beginIssuerRequest(ctx, tokenRoute);
    const refusal = refuseEarly(ctx);
    if (refusal) answer(ctx, ...refusal);
    else await next();
    await finish(ctx, request, audit);
  });
  // error_detail says more than the caller is told; it never holds a credential.
  provider.on('grant.error', (ctx, thrown) => {
    const { error, error_detail: detail, origin } = thrown as typeof thrown & { origin?: ErrorOrigin };
    noteOutcome(ctx.req, { code: error, detail, origin });
    if (thrown instanceof TooManyRequests) ctx.set(thrown.headers);
  });
  provider.on('server_error', (ctx, err) => {
    // What is only away is expected, and stands in the access line with its origin.
    const { origin, error_detail: detail } = err as { origin?: ErrorOrigin; error_detail?: string };
    noteOutcome(ctx.req, {
      code: 'server_error',
      detail: detail ?? String(err),
      origin: origin ?? { dependency: 'token endpoint', cause: 'internal' },
    });
    if (!origin && unexpected.take())
      logger.error({ requestId: issuerRequestOf(ctx).info.id, err }, 'the token endpoint failed');
  });
  // Koa would write to standard error otherwise; these are broken connections.
  (provider as EventEmitter).on('error', (err: Error) =>
    logger.debug({ err: err.message }, 'a token request broke off'),
  );
}

function refuseEarly(ctx: HttpContext): [status: number, error: string, description: string] | undefined {
  const length = Number(ctx.get('content-length') || 0);
  if (length > largestBody) {
    if (length > largestDrained) ctx.set('Connection', 'close');
    return [413, 'invalid_request', `the body is larger than ${largestBody} bytes`];
  }
  // RFC 6749 §2.3.1: credentials must not be in the URI, where logs keep them.
  if (ctx.querystring) return [400, 'invalid_request', 'parameters belong in the body, not in the URI'];
  if (!ctx.get('authorization'))
    return [
      401,
      'invalid_client',
      'client authentication failed: send client_id and client_secret by HTTP Basic authentication, not in the body',
    ];
  return undefined;
}

function answer(ctx: HttpContext, status: number, error: string, error_description: string): void {
  ctx.status = status;
  ctx.body = { error, error_description };
}

async function finish(ctx: HttpContext, request: IssuerRequest, audit: TokenAudit): Promise<void> {
  const body = (ctx.body ?? {}) as OAuthBody;
  try {
    await audit.record(request, {
      status: ctx.status,
      ...(body.error && { error: body.error }),
      ...(body.scope && { scope: body.scope }),
    });
  } catch (error) {
    const { origin = { dependency: 'audit', cause: 'unavailable' as const } } = error instanceof AppError ? error : {};
    noteOutcome(ctx.req, { code: 'temporarily_unavailable', detail: `not recorded: ${String(error)}`, origin });
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
  if (ctx.status === 503) ctx.set({ 'Retry-After': '1', ...originHeaders(ctx.req) });
  const { client, secretId } = request;
  noteOutcome(ctx.req, { clientId: client?.app.clientId, org: client?.app.org, verified: secretId !== undefined });
}
