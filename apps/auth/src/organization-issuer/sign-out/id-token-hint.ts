import type { Client, Provider } from 'oidc-provider';

interface Verified {
  header: { typ?: string };
  payload: { events?: unknown };
}

/**
 * A logout token has issuer, audience, subject and key of an ID token (OpenID Connect Back-Channel Logout §2.4): as
 * `id_token_hint` it would sign its customer out without a question. RFC 8725 §3.11: the type tells them apart.
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
      throw new Error(`a token of the type ${typ} is no ID token`);
    return verified;
  };
}
