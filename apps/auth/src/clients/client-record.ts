import { grantable, type App, type getClient, type ReplyOf } from '@holdfast/contracts';
import { equal, keyedHash } from '@holdfast/platform';

/** A client, as directory describes it. */
export interface ClientRecord {
  app: App;
  /** The scopes that it may request now: its grants, without those that its kind can never hold. */
  scopes: readonly string[];
  secrets: { id: string; hash: Buffer }[];
  /** The app is disabled or its organization suspended. Every request is denied. */
  refused: boolean;
}

export function toClientRecord({ app, secrets, orgSuspended }: ReplyOf<typeof getClient>): ClientRecord {
  // Directory's constraints enforce the same. A token is where a violation would do harm (specification §5).
  const grantableScopes = grantable(app.kind);
  return {
    app,
    scopes: app.scopes.filter((scope) => grantableScopes.includes(scope)),
    // An app that authenticates with keys cannot use a secret, whatever directory says.
    secrets: (app.tokenEndpointAuthMethod === 'private_key_jwt' ? [] : secrets).map(({ id, hash }) => ({
      id,
      hash: Buffer.from(hash, 'base64url'),
    })),
    refused: app.disabled || orgSuspended,
  };
}

/** Compared in place of a secret that does not exist. No secret has this hash. */
const noHash = Buffer.alloc(32);

/**
 * The id of the live secret that was presented. Computes one hash and two comparisons, whether or not the client exists
 * and however many secrets it has, so that the response time reveals nothing.
 */
export function matchSecret(pepper: Buffer, presented: string, record: ClientRecord | undefined): string | undefined {
  const hash = keyedHash(pepper, presented);
  const [first, second] = record?.refused ? [] : (record?.secrets ?? []);
  const isFirst = equal(hash, first?.hash ?? noHash);
  const isSecond = equal(hash, second?.hash ?? noHash);
  if (isFirst && first) return first.id;
  return isSecond && second ? second.id : undefined;
}
