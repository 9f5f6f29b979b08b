import { decodeJwt } from 'jose';
import { Provider, type KoaContextWithOIDC } from 'oidc-provider';
import type { App } from '@holdfast/contracts';
import { findPresentedClient } from '../client-authentication/client-secrets.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { issuerRequestOf, type IssuerRequest } from '../request-context/issuer-request.js';
import { cookieNames } from './issuer-cookies.js';

type Audience = App['audience'];
type Session = NonNullable<KoaContextWithOIDC['oidc']['session']>;

/** Parameter of the confirmed sign-out, which names no app. */
export const audienceParameter = 'audience';

/** Members of the library that its published types lack. */
interface Model {
  get: (ctx: KoaContextWithOIDC) => Promise<Session>;
}
interface CookieNames {
  cookieName: (kind: string) => string;
}

/**
 * Gives customers and people a session each in one browser, under cookies of different names. So a customer's session
 * is never used for an app of people nor the reverse, and neither sign-in ends the other's session. The signature of a
 * cookie covers its name, so that a value is of no use under the other name (docs/adr/0038-sign-in-of-people.md).
 */
export function separateSessions(provider: Provider, shortId: string, baseUrl: string, clients: ClientRegistry): void {
  const settings = provider as unknown as CookieNames;
  const cookieName = settings.cookieName.bind(provider);
  settings.cookieName = (kind) =>
    kind === 'session' ? sessionCookieName(shortId, baseUrl, issuerRequestOf(Provider.ctx)) : cookieName(kind);

  const model = provider.Session as unknown as Model;
  const get = model.get.bind(provider.Session);
  const audienceOf = async (clientId: unknown): Promise<Audience | undefined> => {
    const client = typeof clientId === 'string' ? await findPresentedClient(clients, clientId) : undefined;
    return client?.app.org === shortId ? client.app.audience : undefined;
  };
  const audienceOfInteraction = async ({ uid }: { uid?: string }): Promise<Audience | undefined> =>
    uid === undefined ? undefined : audienceOf((await provider.Interaction.find(uid))?.params.client_id);

  model.get = async (ctx) => {
    const { query } = ctx;
    const { route } = ctx.oidc;
    if (route === 'end_session')
      return getFirst(
        ctx,
        get,
        await audienceOf(clientOf(query.id_token_hint) ?? query.client_id),
        ({ accountId }) => accountId !== undefined,
      );
    if (route === 'end_session_confirm')
      return getFirst(ctx, get, audienceIn(query[audienceParameter]), ({ state }) => state !== undefined);
    const audience =
      route === 'resume' ? await audienceOfInteraction(ctx.params as object) : await audienceOf(query.client_id);
    issuerRequestOf(ctx).audience = audience ?? 'customers';
    return get(ctx);
  };
}

/** The cookie of the session that the request uses. */
export function sessionCookieName(shortId: string, baseUrl: string, { audience }: IssuerRequest): string {
  const { session, peopleSession } = cookieNames(shortId, baseUrl);
  return audience === 'people' ? peopleSession : session;
}

/** The session of this audience. When the request names none, the first one that is meant, or else the customer's. */
async function getFirst(
  ctx: KoaContextWithOIDC,
  get: Model['get'],
  audience: Audience | undefined,
  isMeant: (session: Session) => boolean,
): Promise<Session> {
  const request = issuerRequestOf(ctx);
  request.audience = audience ?? 'customers';
  const session = await get(ctx);
  if (audience !== undefined || isMeant(session)) return session;
  request.audience = 'people';
  const other = await get(ctx);
  if (isMeant(other)) return other;
  request.audience = 'customers';
  return get(ctx);
}

function audienceIn(value: unknown): Audience | undefined {
  return value === 'customers' || value === 'people' ? value : undefined;
}

/** The client of an ID token that the library has yet to verify: here it only tells which cookie to read. */
function clientOf(idToken: unknown): string | undefined {
  if (typeof idToken !== 'string') return undefined;
  try {
    const { aud } = decodeJwt(idToken);
    return typeof aud === 'string' ? aud : undefined;
  } catch {
    return undefined;
  }
}
