import { Provider } from 'oidc-provider';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/** How a customer or person signed in (OpenID Connect Core §2). */
export interface Authentication {
  acr?: string;
  amr?: string[];
}

/**
 * Adds the version of the customer or person at their sign-in, and their passkey, to stored state, and to access tokens
 * also how they signed in, for userinfo. The library stores only members that its models list.
 */
export function storeSignInData(provider: Provider): void {
  const { Session, Grant, AuthorizationCode, AccessToken, RefreshToken, DeviceCode } = provider;
  const addMembers = (model: unknown, ...members: string[]) => {
    const { IN_PAYLOAD: present } = model as { IN_PAYLOAD: string[] };
    Object.defineProperty(model, 'IN_PAYLOAD', { value: [...present, ...members] });
  };
  for (const model of [Session, Grant, AuthorizationCode, RefreshToken, DeviceCode])
    addMembers(model, 'version', 'passkey');
  addMembers(AccessToken, 'version', 'passkey', 'acr', 'amr');
  const prototype = AccessToken.prototype as unknown as { save: (this: object) => Promise<string> };
  const { save } = prototype;
  prototype.save = function () {
    Object.assign(this, issuerRequestOf(Provider.ctx).authentication);
    return save.call(this);
  };
}

/** 0 for state without a version, which therefore counts as the oldest. */
export function versionOf(state: object): number {
  const { version } = state as { version?: unknown };
  return typeof version === 'number' ? version : 0;
}

/** Undefined for people, and for sign-ins of an earlier version. */
export function passkeyOf(state: object): string | undefined {
  const { passkey } = state as { passkey?: unknown };
  return typeof passkey === 'string' ? passkey : undefined;
}

export function authenticationOf(state: object): Authentication {
  const { acr, amr } = state as Authentication;
  return { ...(acr !== undefined && { acr }), ...(amr !== undefined && { amr }) };
}
