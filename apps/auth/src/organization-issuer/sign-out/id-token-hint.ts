import type { Client, Provider } from 'oidc-provider';

interface Verified {
  header: { typ?: string };
  payload: { events?: unknown };
}

/**
 * Rejects logout tokens as `id_token_hint`. They have issuer, audience, subject and key of an ID token (OpenID Connect
 * Back-Channel Logout §2.4), and would sign the customer out without confirmation. The type distinguishes them (RFC
 * 8725 §3.11).
 */
export function acceptOnlyIdTokens(provider: Provider): void {
  const model = provider.IdToken as unknown as { validate: (jwt: string, client: Client) => Promise<Verified> };
  const validate = model.validate.bind(model);
  model.validate = async (jwt, client) => {
    const verified = await validate(jwt, client);
    const {
      header: { typ = 'JWT' },
      payload: { events },
    } = verified;
    if (typ.toUpperCase() !== 'JWT' || events !== undefined)
      throw new Error(`a token of the type ${typ} is not an ID token`);
    return verified;
  };
}
