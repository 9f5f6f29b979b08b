import type { Provider } from 'oidc-provider';

/** Lets what the library stores for a customer carry the customer's version at their sign-in: it keeps no member that it does not know. */
export function carryVersions({ Session, Grant, AuthorizationCode, AccessToken, RefreshToken }: Provider): void {
  for (const model of [Session, Grant, AuthorizationCode, AccessToken, RefreshToken]) {
    const { IN_PAYLOAD: known } = model as unknown as { IN_PAYLOAD: string[] };
    Object.defineProperty(model, 'IN_PAYLOAD', { value: [...known, 'version'] });
  }
}

/** What is from before versions were kept counts as oldest. */
export function versionOf(of: object): number {
  const { version } = of as { version?: unknown };
  return typeof version === 'number' ? version : 0;
}
