import { offerSchema, type Offer, type OfferRequest } from '@holdfast/contracts';
import { AppError, seal, sha256, unseal } from '@holdfast/kit';
import { statement, type Sql } from '@holdfast/data';

/** A key as it is stored: hashes only, since callers put all kinds of things into it. */
export interface IdempotencyKey {
  org: string;
  app: string;
  keyHash: Buffer;
  /** Hash of the request: the same key with another request is a mistake. */
  fingerprint: Buffer;
  /** When the request came, by our clock and not the database's: the answer is kept for a day of it. */
  at: Date;
}

/** How long an answer is kept (product §3). */
export const keptFor = '24 hours';

const stored = statement(
  'idempotency_find',
  `SELECT fingerprint, answer, event, version FROM idempotency WHERE app = $1 AND key_hash = $2 AND created_at > $3::timestamptz - interval '${keptFor}'`,
);
/** Clears away the same key of more than a day ago, so that it can be used again. */
const discard = statement('idempotency_discard', `DELETE FROM idempotency WHERE app = $1 AND key_hash = $2 AND created_at <= $3::timestamptz - interval '${keptFor}'`);
const applied = statement('idempotency_applied', 'SELECT confirmed FROM outbox WHERE id = $1');

export function idempotencyKey(org: string, app: string, key: string, offer: OfferRequest, at: Date): IdempotencyKey {
  return { org, app, at, keyHash: sha256(key), fingerprint: sha256(JSON.stringify(offer)) };
}

function sealedFor({ app, keyHash }: IdempotencyKey): string {
  return `idempotency/${app}/${keyHash.toString('base64url')}`;
}

/** The answer holds a claim link: it is kept encrypted. */
export function sealAnswer(encryptionKey: Buffer, key: IdempotencyKey, offer: Offer): Buffer {
  return seal(encryptionKey, JSON.stringify(offer), sealedFor(key));
}

export interface EarlierAnswer {
  offer: Offer;
  version: number;
  /** Whether every consumer is known to have the event. */
  confirmed: boolean;
}

/**
 * The answer that an earlier request with this key got, if any. `idempotency_mismatch` when that was another request,
 * `conflict` when its customer has been erased since.
 */
export async function earlierAnswer(sql: Sql, encryptionKey: Buffer, key: IdempotencyKey): Promise<EarlierAnswer | undefined> {
  const [row] = await sql.rows<{ fingerprint: Buffer | null; answer: Buffer | null; event: string; version: number }>(stored, [key.app, key.keyHash, key.at]);
  if (!row) {
    await sql.rows(discard, [key.app, key.keyHash, key.at]);
    return undefined;
  }
  if (!row.fingerprint || !row.answer) throw new AppError('conflict', 'The customer that this Idempotency-Key made has been erased.');
  if (!row.fingerprint.equals(key.fingerprint)) throw new AppError('idempotency_mismatch');
  const offer = offerSchema.parse(JSON.parse(unseal(encryptionKey, row.answer, sealedFor(key)).toString('utf8')));
  const [event] = await sql.rows<{ confirmed: boolean }>(applied, [row.event]);
  return { offer, version: row.version, confirmed: event?.confirmed ?? true };
}
