import type { EventEmitter } from 'node:events';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { ErrorOrigin } from '@holdfast/contracts';
import type { Logger } from '@holdfast/platform';
import { authenticatesClients, lacksAuthentication } from '../client-authentication/missing-authentication.js';
import { TooManyRequests } from '../clients/client-limits.js';
import type { WebOrigins } from '../organizations/web-origins.js';
import { noteOutcome, noteUnrecorded, originHeaders } from '../request-context/http-outcome.js';
import { routeTemplate } from '../request-context/issuer-paths.js';
import { beginIssuerRequest, issuerRequestOf, type HttpContext } from '../request-context/issuer-request.js';
import { observeProviderErrors } from '../request-context/provider-errors.js';
import { pollSeconds } from '../sessions/device-polls.js';
import type { RequestResult } from './audit/audited-request.js';
import type { IssuerAudit } from './audit/issuer-audit.js';
import type { SignInBinding } from './interactions/sign-in-binding.js';
import { describeIntrospectedToken } from './jwt-access-tokens.js';
import { correctMetadata } from './metadata.js';
import { leaveSignedOut } from './sign-out/sign-out.js';

/** For pages of the library (form_post), which adds the hash of their one script. */
const libraryPolicy = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

interface Guards {
  audit: IssuerAudit;
  origins: WebOrigins;
  signIns: SignInBinding;
  logger: Logger;
}

/** Wraps an issuer: no response leaves before its audit record, and pages get a content security policy. */
export function guardIssuer(provider: Provider, shortId: string, { audit, origins, signIns, logger }: Guards): void {
  const results = new WeakMap<object, RequestResult>();
  provider.use(async (ctx, next) => {
    const request = beginIssuerRequest(ctx, routeTemplate(ctx.path));
    ctx.set('Content-Security-Policy', libraryPolicy);
    signIns.replaceCookies(ctx);
    await next();
    await narrowCors(ctx, shortId, origins);
    const oidcCtx = ctx as KoaContextWithOIDC;
    if ((ctx as Partial<KoaContextWithOIDC>).oidc) await finishRoute(oidcCtx);
    try {
      if ((ctx as Partial<KoaContextWithOIDC>).oidc) await audit.record(oidcCtx, shortId, results.get(ctx) ?? {});
    } catch (error) {
      noteUnrecorded(ctx.req, error);
      withhold(ctx);
    }
    if (!ctx.req.complete) ctx.req.resume();
    if (!ctx.response.is('html')) ctx.remove('Content-Security-Policy');
    ctx.set('X-Request-Id', request.info.id);
    if (ctx.status === 503) ctx.set({ 'Retry-After': '1', ...originHeaders(ctx.req) });
    noteOutcome(ctx.req, {
      clientId: request.client?.app.clientId,
      verified: request.secretId !== undefined,
      org: shortId,
    });
  });
  provider.on('authorization.success', (ctx) => void results.set(ctx, { signedIn: true }));
  const onError = (
    ctx: KoaContextWithOIDC,
    thrown: { error?: string; error_detail?: string; origin?: ErrorOrigin },
  ) => {
    const { error_detail: detail, origin } = thrown;
    const error = lacksAuthentication(ctx) ? 'invalid_client' : (thrown.error ?? 'server_error');
    if (error !== thrown.error && error === 'invalid_client') refuseUnauthenticated(ctx);
    results.set(ctx, { error });
    noteOutcome(ctx.req, { code: error, detail, origin });
    if (thrown instanceof TooManyRequests) ctx.set(thrown.headers);
  };
  for (const route of [
    'grant',
    'authorization',
    'pushed_authorization_request',
    'device_authorization',
    'userinfo',
    'revocation',
    'introspection',
    'end_session',
    'end_session_confirm',
  ])
    (provider as EventEmitter).on(`${route}.error`, onError);
  provider.on('server_error', (ctx) => void results.set(ctx, { error: 'server_error' }));
  observeProviderErrors(provider, 'issuer', logger, shortId);
}

function refuseUnauthenticated(ctx: KoaContextWithOIDC): void {
  ctx.status = 401;
  ctx.body = {
    error: 'invalid_client',
    error_description:
      'client authentication failed: send a client secret by HTTP Basic or in the body, or a client_assertion; ' +
      'without either, a public client sends its client_id',
  };
}

async function finishRoute(ctx: KoaContextWithOIDC): Promise<void> {
  const { route, session } = ctx.oidc;
  // Short, so that a leaked key soon leaves every cache.
  if (route === 'discovery' || route === 'jwks') ctx.set('Cache-Control', 'public, max-age=60');
  if (route === 'discovery') correctMetadata(ctx.body as Record<string, unknown>);
  // RFC 9110 §15.5.2. The library sets it only if the request has an Authorization header.
  if (ctx.status === 401 && authenticatesClients(ctx) && !ctx.response.get('WWW-Authenticate'))
    ctx.set('WWW-Authenticate', `Basic realm="${ctx.oidc.provider.issuer}", charset="UTF-8"`);
  // RFC 7009 §2.2 defines the status only. Some clients reject an empty body with a content type.
  if (route === 'revocation' && ctx.status === 200) ctx.remove('Content-Type');
  if (route === 'device_authorization' && ctx.status === 200)
    Object.assign(ctx.body as object, { interval: pollSeconds });
  if (route === 'introspection' && ctx.status === 200) describeIntrospectedToken(ctx.body as object);
  if (route === 'end_session' && ctx.status === 200 && !session?.accountId) await leaveSignedOut(ctx);
  if (
    route === 'end_session_confirm' &&
    ctx.status === 303 &&
    session?.accountId &&
    (session as { destroyed?: boolean }).destroyed
  ) {
    issuerRequestOf(ctx).subject = session.accountId;
  }
}

/** Restricts CORS to registered origins. The library would allow metadata and preflights to every page. */
async function narrowCors(ctx: HttpContext, shortId: string, origins: WebOrigins): Promise<void> {
  if (!ctx.response.headers['access-control-allow-origin']) return;
  if (ctx.get('origin') && (await origins.allows(shortId, ctx.get('origin')))) return;
  for (const name of Object.keys(ctx.response.headers)) if (name.startsWith('access-control-')) ctx.remove(name);
}

/** Replaces the whole response by a 503, since a cookie would be a session and a `Location` could have a code. */
function withhold(ctx: HttpContext): void {
  for (const name of Object.keys(ctx.response.headers)) if (!/^(access-control-|vary$)/.test(name)) ctx.remove(name);
  ctx.status = 503;
  ctx.type = 'json';
  ctx.body = { error: 'temporarily_unavailable', error_description: 'try again in a moment' };
  ctx.set('Cache-Control', 'no-store');
}
