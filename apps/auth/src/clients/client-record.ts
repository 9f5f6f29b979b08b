import { grantable, type App, type getClient, type ReplyOf } from '@holdfast/contracts';
import { equal, keyedHash } from '@holdfast/platform';

/** A client as auth knows it. */
export interface ClientRecord {
  app: App;
  /** What it may ask for now: its grants, as far as its kind may hold them at all. */
  scopes: readonly string[];
  secrets: { id: string; hash: Buffer }[];
  /** Disabled, or its organization is suspended: it gets nothing. */
  refused: boolean;
}

export function toClientRecord({ app, secrets, orgSuspended }: ReplyOf<typeof getClient>): ClientRecord {
  // Directory's constraints say the same; a token is where it would hurt (specification §5).
  const may = grantable(app.kind);
  return {
    app,
    scopes: app.scopes.filter((scope) => may.includes(scope)),
    secrets: secrets.map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'base64url') })),
    refused: app.disabled || orgSuspended,
  };
}

/** Hash of no secret: what the missing ones are compared with. */
const nothing = Buffer.alloc(32);

/**
 * The id of the live secret that was presented. Always one hash and two comparisons, whether the client is known or not
 * and however many secrets it has, so that time tells nothing.
 */
export function matchSecret(pepper: Buffer, presented: string, record: ClientRecord | undefined): string | undefined {
  const hash = keyedHash(pepper, presented);
  const [first, second] = record?.refused ? [] : (record?.secrets ?? []);
  const isFirst = equal(hash, first?.hash ?? nothing);
  const isSecond = equal(hash, second?.hash ?? nothing);
  if (isFirst && first) return first.id;
  return isSecond && second ? second.id : undefined;
}
