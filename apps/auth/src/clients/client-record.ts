import {
  grantable,
  scopesOfKind,
  type App,
  type AppRateLimits,
  type getClient,
  type ReplyOf,
} from '@holdfast/contracts';
import { equal, keyedHash, type Keys } from '@holdfast/platform';

/** A client, as directory describes it. */
export interface ClientRecord {
  app: App;
  /** The scopes that it may request now: those of its kind, and its grants without those that it can never hold. */
  scopes: readonly string[];
  secrets: { id: string; hash: Buffer }[];
  /** The app is disabled or its organization suspended. Every request is denied. */
  refused: boolean;
  /** Quotas that an operator has set. */
  rateLimits: AppRateLimits;
}

export function toClientRecord({
  app,
  secrets,
  orgSuspended,
  rateLimits = {},
}: ReplyOf<typeof getClient>): ClientRecord {
  // Directory's constraints enforce the same. A token is where a violation would do harm (specification §5).
  const grantableScopes = grantable(app.kind);
  return {
    app,
    scopes: [...scopesOfKind(app.kind), ...app.scopes.filter((scope) => grantableScopes.includes(scope))],
    // An app that authenticates with keys cannot use a secret, whatever directory says.
    secrets: (app.tokenEndpointAuthMethod === 'private_key_jwt' ? [] : secrets).map(({ id, hash }) => ({
      id,
      hash: Buffer.from(hash, 'base64url'),
    })),
    refused: app.disabled || orgSuspended,
    rateLimits,
  };
}

/** Whether an app has no credentials, as it runs where anybody could read them. */
export const isPublic = ({ kind }: Pick<App, 'kind'>): boolean => kind === 'spa' || kind === 'native';

/** Compared in place of a secret that does not exist. No secret has this hash. */
const noHash = Buffer.alloc(32);

/** A secret that was presented and is live. */
interface Matched {
  id: string;
  /** It is stored under another pepper than the current one: directory should store it under the current one. */
  isOutdated: boolean;
}

/**
 * The live secret that was presented. Computes one hash and two comparisons for each pepper, whether or not the client
 * exists and however many secrets it has, so that the response time reveals nothing.
 */
export function matchSecret(peppers: Keys, presented: string, record: ClientRecord | undefined): Matched | undefined {
  const [first, second] = record?.refused ? [] : (record?.secrets ?? []);
  let matched: Matched | undefined;
  for (const [i, pepper] of peppers.entries()) {
    const hash = keyedHash(pepper, presented);
    const isFirst = equal(hash, first?.hash ?? noHash);
    const isSecond = equal(hash, second?.hash ?? noHash);
    if (isFirst && first) matched = { id: first.id, isOutdated: i > 0 };
    else if (isSecond && second) matched = { id: second.id, isOutdated: i > 0 };
  }
  return matched;
}
