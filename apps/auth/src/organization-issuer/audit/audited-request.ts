import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Action, Actor, AuditRecord } from '@holdfast/contracts';
import { isPublic } from '../../clients/client-record.js';
import { anonymous, humanOf, type IssuerRequest } from '../../request-context/issuer-request.js';
import { deviceGrantType } from '../metadata.js';

/** What the audit log says of a request to an issuer. */
export interface AuditedRequest {
  action: Action;
  actor: Actor;
  outcome: AuditRecord['outcome'];
  /** Counted instead of recorded, and without a customer or person, since anybody can send them without limit. */
  counted?: boolean;
  changes?: AuditRecord['changes'];
}

type Activity = 'sign_in' | 'sign_in_request' | 'sign_out' | 'token' | 'userinfo' | 'token_revoke' | 'token_introspect';

/** The action of a request: the audit log tells people of the organization from customers. */
export function actionOf(request: IssuerRequest, activity: Activity): Action {
  return `${humanOf(request) === 'person' ? 'user' : 'customer'}.${activity}`;
}

/** The customer or person who acts. */
export function actorOf(request: IssuerRequest): Actor {
  const { subject } = request;
  return subject === undefined ? anonymous : { type: humanOf(request), id: subject };
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
  if (route === 'pushed_authorization_request' || route === 'device_authorization')
    return auditedPushedRequest(request, outcomeOf(ctx.status, error));
  if (route === 'userinfo') return ofApp('userinfo', request, outcomeOf(ctx.status, error), error !== undefined);
  if (route === 'revocation') return auditedRevocation(ctx, request, outcomeOf(ctx.status, error));
  if (route === 'introspection') return auditedIntrospection(ctx, request, outcomeOf(ctx.status, error));
  if (route.startsWith('end_session')) return auditedSignOut(ctx, request, error);
  return route === 'authorization' || route === 'resume'
    ? auditedSignIn(ctx, request, { ...(signedIn && { signedIn }), ...(error !== undefined && { error }) })
    : undefined;
}

/**
 * Nothing proves who pushed a request of a public client, or began a sign-in on a device: it is not recorded, like the
 * request that names it.
 */
function auditedPushedRequest(request: IssuerRequest, outcome: AuditedRequest['outcome']): AuditedRequest | undefined {
  const { client, secretId } = request;
  const authenticated = client !== undefined && secretId !== undefined && !isPublic(client.app);
  if (outcome.result === 'success' && !authenticated) return undefined;
  return ofApp('sign_in_request', request, outcome, !authenticated);
}

/** Without authentication the error is counted, under the app that the request names if this organization has it. */
function auditedTokenRequest(ctx: KoaContextWithOIDC, request: IssuerRequest): AuditedRequest | undefined {
  const { client, secretId } = request;
  const { error } = (ctx.body ?? {}) as { error?: string };
  // A device asks every few seconds until somebody has decided, which is recorded.
  if (error === 'authorization_pending' || error === 'slow_down') return undefined;
  const { grant_type: grantType } = (ctx.oidc.params ?? {}) as { grant_type?: string };
  const supported = ['authorization_code', 'refresh_token', deviceGrantType].find((type) => type === grantType);
  const authenticated = client !== undefined && secretId !== undefined && !isPublic(client.app);
  const audited = ofApp('token', request, outcomeOf(ctx.status, error), error !== undefined && !authenticated);
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
  return ofApp('token_revoke', request, outcome, request.secretId === undefined);
}

/** The customer or person of a token is named only if it is active: they may be erased. */
function auditedIntrospection(
  ctx: KoaContextWithOIDC,
  request: IssuerRequest,
  outcome: AuditedRequest['outcome'],
): AuditedRequest {
  const { active } = (ctx.body ?? {}) as { active?: boolean };
  if (active !== true) {
    delete request.subject;
    delete request.credential;
  }
  return ofApp('token_introspect', request, outcome, request.secretId === undefined);
}

/** The revocation of a token that exists. */
export function revocationOf(request: IssuerRequest, subject: string | undefined): AuditedRequest {
  if (subject !== undefined) request.subject = subject;
  return ofApp('token_revoke', request, outcomeOf(200), false);
}

function auditedSignOut(
  ctx: KoaContextWithOIDC,
  request: IssuerRequest,
  error: string | undefined,
): AuditedRequest | undefined {
  if (error !== undefined)
    return {
      action: actionOf(request, 'sign_out'),
      actor: anonymous,
      outcome: outcomeOf(ctx.status, error),
      counted: true,
    };
  if (request.subject === undefined || ctx.status !== 303) return undefined;
  return signOutOf(request);
}

export function signOutOf(request: IssuerRequest): AuditedRequest {
  return { action: actionOf(request, 'sign_out'), actor: actorOf(request), outcome: outcomeOf(303) };
}

function auditedSignIn(
  ctx: KoaContextWithOIDC,
  request: IssuerRequest,
  { signedIn, error }: RequestResult,
): AuditedRequest | undefined {
  const { route, session } = ctx.oidc;
  const action = actionOf(request, 'sign_in');
  const actor = actorOf(request);
  const { subject } = request;
  if (signedIn && subject !== undefined) return { action, actor, outcome: { result: 'success', status: ctx.status } };
  const denial = denialOf(route, request);
  if (subject !== undefined && session?.accountId === subject && denial !== undefined)
    return { action, actor, outcome: { result: 'denied', status: ctx.status, code: denial } };
  // The redirect to the app after an error on the sign-in page, which was recorded there.
  if (error === undefined || (route === 'resume' && (error === 'access_denied' || error === 'login_required')))
    return undefined;
  return { action, actor: anonymous, outcome: outcomeOf(ctx.status, error), counted: true };
}

/** Why the customer or person of the session may not sign in to this app, at least not without a passkey. */
function denialOf(route: string, request: IssuerRequest): string | undefined {
  if (humanOf(request) === 'person') return request.denial;
  return route === 'authorization' && request.credential === undefined ? 'no_live_credential' : undefined;
}

function ofApp(
  activity: Activity,
  request: IssuerRequest,
  outcome: AuditedRequest['outcome'],
  counted: boolean,
): AuditedRequest {
  const { client } = request;
  const actor: Actor = client ? { type: 'app', id: client.app.clientId, name: client.app.name } : anonymous;
  return { action: actionOf(request, activity), actor, outcome, ...(counted && { counted }) };
}
