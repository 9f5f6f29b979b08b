import type { EventEmitter } from 'node:events';
import type { Logger } from '@holdfast/kit';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { beginTokenRequest, tokenRequestOf, type HttpContext } from '../provider/token-request.js';
import type { Ending } from './issuer-acts.js';
import type { IssuerAudit } from './issuer-audit.js';
import { routeTemplate } from './issuer-paths.js';
import type { SignInBinding } from './sign-in-binding.js';
import { leaveSignedOut } from './sign-out.js';

/** Pages that the library makes itself (form_post): their one script is allowed by its hash, which the library adds. */
const libraryPolicy = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Stands around an organization's issuer: nothing leaves before its record, and pages get the policy that they need. */
export function guardIssuer(provider: Provider, shortId: string, { audit, logger, signIns }: { audit: IssuerAudit; logger: Logger; signIns: SignInBinding }): void {
  const endings = new WeakMap<object, Ending>();
  provider.use(async (ctx, next) => {
    const request = beginTokenRequest(ctx, routeTemplate(ctx.path));
    ctx.set('Content-Security-Policy', libraryPolicy);
    signIns.replaceCookies(ctx);
    await next();
    const oidcCtx = ctx as KoaContextWithOIDC;
    if ((ctx as Partial<KoaContextWithOIDC>).oidc) await finishRoute(oidcCtx);
    try {
      if ((ctx as Partial<KoaContextWithOIDC>).oidc) await audit.record(oidcCtx, shortId, endings.get(ctx) ?? {});
    } catch (error) {
      logger.warn({ requestId: request.info.id, reason: String(error) }, 'gave nothing out, since it could not be recorded');
      withhold(ctx);
    }
    if (!ctx.req.complete) ctx.req.resume();
    if (!ctx.response.is('html')) ctx.remove('Content-Security-Policy');
    ctx.set('X-Request-Id', request.info.id);
    if (ctx.status === 503) ctx.set('Retry-After', '1');
  });
  provider.on('authorization.success', (ctx) => void endings.set(ctx, { signedIn: true }));
  const refused = (ctx: KoaContextWithOIDC, { error = 'server_error', error_detail: detail }: { error?: string; error_detail?: string }) => {
    endings.set(ctx, { error });
    const { info, client } = tokenRequestOf(ctx);
    logger.info({ requestId: info.id, route: info.route, clientId: client?.app.clientId, org: shortId, error, detail }, 'refused at the issuer');
  };
  for (const route of ['grant', 'authorization', 'userinfo', 'revocation', 'end_session', 'end_session_confirm']) (provider as EventEmitter).on(`${route}.error`, refused);
  provider.on('server_error', (ctx, err) => {
    endings.set(ctx, { error: 'server_error' });
    logger.error({ requestId: tokenRequestOf(ctx).info.id, org: shortId, err }, 'the issuer failed');
  });
  // Koa would write to standard error otherwise; these are broken connections.
  (provider as EventEmitter).on('error', (err: Error) => logger.debug({ err: err.message }, 'a request to the issuer broke off'));
}

async function finishRoute(ctx: KoaContextWithOIDC): Promise<void> {
  const { route, session } = ctx.oidc;
  // Short, so that a key which leaked is soon gone from every cache.
  if (route === 'discovery' || route === 'jwks') ctx.set('Cache-Control', 'public, max-age=60');
  if (route === 'discovery') (ctx.body as Record<string, unknown>).response_modes_supported = ['query', 'form_post'];
  if (route === 'end_session' && ctx.status === 200 && !session?.accountId) await leaveSignedOut(ctx);
  if (route === 'end_session_confirm' && ctx.status === 303 && session?.accountId && (session as { destroyed?: boolean }).destroyed) {
    tokenRequestOf(ctx).subject = session.accountId;
  }
}

/** Of the answer nothing stays: a cookie is a session, and an address holds the code. */
function withhold(ctx: HttpContext): void {
  for (const name of Object.keys(ctx.response.headers)) if (!/^(access-control-|vary$)/.test(name)) ctx.remove(name);
  ctx.status = 503;
  ctx.type = 'json';
  ctx.body = { error: 'temporarily_unavailable', error_description: 'try again in a moment' };
  ctx.set('Cache-Control', 'no-store');
}
