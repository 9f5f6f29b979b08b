import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { ErrorOrigin } from '@holdfast/contracts';
import type { Logger } from '@holdfast/platform';
import { TooManyRequests } from '../clients/client-limits.js';
import { noteOutcome, noteUnrecorded, originHeaders } from '../request-context/http-outcome.js';
import { beginIssuerRequest, type HttpContext, type IssuerRequest } from '../request-context/issuer-request.js';
import { observeProviderErrors } from '../request-context/provider-errors.js';
import { tokenRoute } from './platform-provider.js';
import type { TokenAudit } from './token-audit.js';

/** Of a form, which has a few hundred bytes, since credentials are in a header. */
const maxBodyBytes = 16_384;
/** Larger bodies are not read to their end: the connection is closed. */
const maxDrainedBytes = 2_097_152;

interface OAuthBody {
  error?: string;
  error_description?: string;
  scope?: string;
}

/** Wraps the library's token endpoint: rejects some requests early, and no response leaves before its audit record. */
export function guardTokenEndpoint(provider: Provider, audit: TokenAudit, logger: Logger): void {
  provider.use(async (ctx, next) => {
    const request = beginIssuerRequest(ctx, tokenRoute);
    const rejection = rejectEarly(ctx);
    if (rejection) respondError(ctx, ...rejection);
    else {
      await next();
      refuseUnauthenticated(ctx, request);
    }
    await finish(ctx, request, audit);
  });
  // error_detail is more than the response contains, and never has a credential.
  provider.on('grant.error', (ctx, thrown) => {
    const { error, error_detail: detail, origin } = thrown as typeof thrown & { origin?: ErrorOrigin };
    noteOutcome(ctx.req, { code: error, detail, origin });
    if (thrown instanceof TooManyRequests) ctx.set(thrown.headers);
  });
  observeProviderErrors(provider, 'token endpoint', logger);
}

function rejectEarly(ctx: HttpContext): [status: number, error: string, description: string] | undefined {
  const length = Number(ctx.get('content-length') || 0);
  if (length > maxBodyBytes) {
    if (length > maxDrainedBytes) ctx.set('Connection', 'close');
    return [413, 'invalid_request', `the body is larger than ${maxBodyBytes} bytes`];
  }
  // RFC 6749 §2.3.1: credentials must not be in the URI, which logs contain.
  if (ctx.querystring) return [400, 'invalid_request', 'parameters belong in the body, not in the URI'];
  return undefined;
}

/** Responds to a request without client authentication, for which the library has several errors. */
function refuseUnauthenticated(ctx: HttpContext, request: IssuerRequest): void {
  const { params } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {};
  if (ctx.status >= 500 || ctx.get('authorization') || params?.client_assertion !== undefined) return;
  // The request names a client without any proof, and so is not counted in its name.
  delete request.client;
  respondError(
    ctx,
    401,
    'invalid_client',
    'client authentication failed: send client_id and client_secret by HTTP Basic authentication, not in the body, ' +
      'or a client_assertion',
  );
}

function respondError(ctx: HttpContext, status: number, error: string, error_description: string): void {
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
    noteUnrecorded(ctx.req, error);
    // The header would mean that the secret was wrong.
    ctx.remove('WWW-Authenticate');
    respondError(ctx, 503, 'temporarily_unavailable', 'try again in a moment');
  }
  // The library stops reading a body that is too long. Unread, it would keep the connection open.
  if (!ctx.req.complete) ctx.req.resume();
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Request-Id', request.info.id);
  // No page of another origin may read a token.
  ctx.remove('Access-Control-Allow-Origin');
  if (ctx.status === 401) ctx.set('WWW-Authenticate', `Basic realm="${(ctx.app as Provider).issuer}", charset="UTF-8"`);
  if (ctx.status === 503) ctx.set({ 'Retry-After': '1', ...originHeaders(ctx.req) });
  const { client, secretId } = request;
  noteOutcome(ctx.req, { clientId: client?.app.clientId, org: client?.app.org, verified: secretId !== undefined });
}
