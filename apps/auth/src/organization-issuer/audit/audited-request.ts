import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Action, Actor, AuditRecord } from '@holdfast/contracts';
import { anonymous, type IssuerRequest } from '../../request-context/issuer-request.js';
import { isPublic } from '../issuer-clients.js';

/** What the audit log says of a request to an issuer. */
export interface AuditedRequest {
  action: Action;
  actor: Actor;
  outcome: AuditRecord['outcome'];
  /** Counted instead of recorded, and without a customer, since anybody can send such requests without limit. */
  counted?: boolean;
  changes?: AuditRecord['changes'];
}

/** How the library completed a request: with a code for an app, or with an error. */
export interface RequestResult {
  signedIn?: boolean;
  error?: string;
}

/** Codes of invalid requests and of our own errors. With all others the request was denied. */
const failureCodes = /^(invalid_request|invalid_redirect_uri|unsupported_|server_error|temporarily_unavailable)/;

export function outcomeOf(status: number, error?: string): AuditRecord['outcome'] {
  if (!error) return { result: 'success', status };
  return { result: failureCodes.test(error) ? 'failure' : 'denied', status, code: error };
}

/** Undefined for requests that are not audited (metadata, keys, the redirect to the sign-in page). */
export function auditedRequestOf(
  ctx: KoaContextWithOIDC,
  request: IssuerRequest,
  { signedIn, error }: RequestResult,
): AuditedRequest | undefined {
  const { route } = ctx.oidc;
  if (route === 'token') return auditedTokenRequest(ctx, request);
  if (route === 'userinfo')
    return ofApp('customer.userinfo', request, outcomeOf(ctx.status, error), error !== undefined);
  if (route === 'revocation') return auditedRevocation(ctx, request, outcomeOf(ctx.status, error));
  if (route.startsWith('end_session')) return auditedSignOut(ctx, request, error);
  return route === 'authorization' || route === 'resume'
    ? auditedSignIn(ctx, request, { ...(signedIn && { signedIn }), ...(error !== undefined && { error }) })
    : undefined;
}

/** Without authentication the error is counted, under the app that the request names if this organization has it. */
function auditedTokenRequest(ctx: KoaContextWithOIDC, request: IssuerRequest): AuditedRequest {
  const { client, secretId } = request;
  const { error } = (ctx.body ?? {}) as { error?: string };
  const { grant_type: grantType } = (ctx.oidc.params ?? {}) as { grant_type?: string };
  const supported = ['authorization_code', 'refresh_token'].find((type) => type === grantType);
  const authenticated = client !== undefined && secretId !== undefined && !isPublic(client.app);
  const audited = ofApp('customer.token', request, outcomeOf(ctx.status, error), error !== undefined && !authenticated);
  return {
    ...audited,
    ...(supported && {
      changes: { grantType: { to: supported }, ...(request.repeated && { repeated: { to: true } }) },
    }),
  };
}

/**
 * The response is a success also for a token that does not exist (RFC 7009 §2.2). That is recorded for an authenticated
 * app, and counted otherwise.
 */
function auditedRevocation(
  ctx: KoaContextWithOIDC,
  request: IssuerRequest,
  outcome: AuditedRequest['outcome'],
): AuditedRequest {
  const { AccessToken, RefreshToken } = ctx.oidc.entities;
  const revoked = outcome.result === 'success' ? (RefreshToken ?? AccessToken) : undefined;
  if (revoked) return revocationOf(request, revoked.accountId);
  return ofApp('customer.token_revoke', request, outcome, request.secretId === undefined);
}

/** The revocation of a token that exists. */
export function revocationOf(request: IssuerRequest, subject: string | undefined): AuditedRequest {
  if (subject !== undefined) request.subject = subject;
  return ofApp('customer.token_revoke', request, outcomeOf(200), false);
}

function auditedSignOut(
  ctx: KoaContextWithOIDC,
  request: IssuerRequest,
  error: string | undefined,
): AuditedRequest | undefined {
  if (error !== undefined)
    return { action: 'customer.sign_out', actor: anonymous, outcome: outcomeOf(ctx.status, error), counted: true };
  if (request.subject === undefined || ctx.status !== 303) return undefined;
  return signOutOf(request.subject);
}

export function signOutOf(subject: string): AuditedRequest {
  return { action: 'customer.sign_out', actor: { type: 'customer', id: subject }, outcome: outcomeOf(303) };
}

function auditedSignIn(
  ctx: KoaContextWithOIDC,
  { subject, credential }: IssuerRequest,
  { signedIn, error }: RequestResult,
): AuditedRequest | undefined {
  const { route, session } = ctx.oidc;
  const customer: Actor | undefined = subject === undefined ? undefined : { type: 'customer', id: subject };
  if (signedIn && customer)
    return { action: 'customer.sign_in', actor: customer, outcome: { result: 'success', status: ctx.status } };
  // The session's customer has no live credential for this app.
  if (route === 'authorization' && customer && session?.accountId === subject && credential === undefined) {
    return {
      action: 'customer.sign_in',
      actor: customer,
      outcome: { result: 'denied', status: ctx.status, code: 'no_live_credential' },
    };
  }
  // The redirect to the app after an error on the sign-in page, which was recorded there.
  if (error === undefined || (route === 'resume' && (error === 'access_denied' || error === 'login_required')))
    return undefined;
  return { action: 'customer.sign_in', actor: anonymous, outcome: outcomeOf(ctx.status, error), counted: true };
}

function ofApp(
  action: Action,
  { client }: IssuerRequest,
  outcome: AuditedRequest['outcome'],
  counted: boolean,
): AuditedRequest {
  const actor: Actor = client ? { type: 'app', id: client.app.clientId, name: client.app.name } : anonymous;
  return { action, actor, outcome, ...(counted && { counted }) };
}
