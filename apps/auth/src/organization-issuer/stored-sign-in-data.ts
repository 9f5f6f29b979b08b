import { Provider } from 'oidc-provider';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/**
 * How somebody signed in (OpenID Connect Core §2): what a code or a refresh token says of it, its access tokens say
 * too.
 */
export interface Authentication {
  acr?: string;
  amr?: string[];
}

/**
 * Lets what the library stores for a customer carry the customer's version at their sign-in, and an access token how
 * they signed in, for userinfo: it keeps no member that it does not know.
 */
export function storeSignInData({ Session, Grant, AuthorizationCode, AccessToken, RefreshToken }: Provider): void {
  const keep = (model: unknown, ...members: string[]) => {
    const { IN_PAYLOAD: known } = model as { IN_PAYLOAD: string[] };
    Object.defineProperty(model, 'IN_PAYLOAD', { value: [...known, ...members] });
  };
  for (const model of [Session, Grant, AuthorizationCode, RefreshToken]) keep(model, 'version');
  keep(AccessToken, 'version', 'acr', 'amr');
  const prototype = AccessToken.prototype as unknown as { save: (this: object) => Promise<string> };
  const { save } = prototype;
  prototype.save = function () {
    Object.assign(this, issuerRequestOf(Provider.ctx).authentication);
    return save.call(this);
  };
}

/** What is from before versions were kept counts as oldest. */
export function versionOf(of: object): number {
  const { version } = of as { version?: unknown };
  return typeof version === 'number' ? version : 0;
}

export function authenticationOf(of: object): Authentication {
  const { acr, amr } = of as Authentication;
  return { ...(acr !== undefined && { acr }), ...(amr !== undefined && { amr }) };
}
