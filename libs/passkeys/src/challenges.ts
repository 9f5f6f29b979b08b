import { randomBytes } from 'node:crypto';
import { statement, type Sql } from '@holdfast/data';
import { AppError, equal, keyedHash, sha256, type Keys } from '@holdfast/platform';

/**
 * How long a ceremony may take, and how many open challenges an offer, an invitation or a person may have. Anybody can
 * begin a sign-in, so its challenges are signed instead of stored; its page may wait for minutes with the passkey
 * offered in its form field. Only somebody with the link can begin a claim or accept an invitation. The link may be
 * opened on many devices, and those that lose the race must get `claim_spent` instead of `ceremony_expired`.
 */
export const ceremonies = {
  claim: { purpose: 'claim', seconds: 300, maxOpen: 100 },
  invitation: { purpose: 'invitation', seconds: 300, maxOpen: 100 },
  addition: { purpose: 'addition', seconds: 300, maxOpen: 20 },
  signIn: { purpose: 'sign_in', seconds: 600 },
} as const;

/**
 * The table of challenges, for the migrations of a service. A challenge is deleted with its owner, a row of `owners`.
 */
export function challengeTable(owners: string): readonly string[] {
  return [
    `CREATE TABLE challenge (
       hash bytea PRIMARY KEY,
       purpose text NOT NULL,
       binding text NOT NULL,
       owner uuid REFERENCES ${owners} ON DELETE CASCADE,
       created_at timestamptz(3) NOT NULL,
       expires_at timestamptz(3) NOT NULL)`,
    'CREATE INDEX challenge_binding ON challenge (purpose, binding, created_at)',
    'CREATE INDEX challenge_expiry ON challenge (expires_at)',
    'CREATE INDEX challenge_owner ON challenge (owner) WHERE owner IS NOT NULL',
  ];
}

/** Deletes the oldest ones above the limit. SKIP LOCKED, so that concurrent deletions do not wait for each other. */
const store = statement(
  'challenge_store',
  `WITH surplus AS (
     SELECT hash FROM challenge WHERE hash IN (
       SELECT hash FROM challenge WHERE purpose = $2 AND binding = $3 ORDER BY created_at DESC, hash OFFSET $7)
     FOR UPDATE SKIP LOCKED),
   cleared AS (DELETE FROM challenge WHERE hash IN (SELECT hash FROM surplus))
   INSERT INTO challenge (hash, purpose, binding, owner, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
);
/** One statement finds and deletes the challenge, so only one of any concurrent requests gets it. */
const consume = statement(
  'challenge_consume',
  'DELETE FROM challenge WHERE hash = $1 AND purpose = $2 AND binding = $3 RETURNING expires_at AS "expiresAt"',
);
/** The primary key lets one of several concurrent uses through. The row stays until the challenge has expired. */
const consumeSigned = statement(
  'challenge_consume_signed',
  `INSERT INTO challenge (hash, purpose, binding, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT DO NOTHING RETURNING 1`,
);
/** Rows that one statement deletes, so that it stays short after a flood of challenges. */
const deleteBatchSize = 1000;
const deleteExpired = statement(
  'challenge_delete_expired',
  `DELETE FROM challenge WHERE hash IN (
     SELECT hash FROM challenge WHERE expires_at <= $1 LIMIT ${deleteBatchSize} FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);

/** What a stored challenge is bound to: it cannot be used for another organization or offer. */
export interface Binding {
  ceremony: (typeof ceremonies)['claim' | 'invitation' | 'addition'];
  /** The offer, invitation or person, with the organization. */
  to: string;
  /** Hash of the secret of the browser that began the ceremony: only this browser can complete it. */
  browser?: string;
  /** The challenge is deleted with this row. */
  owner?: string;
}

/** A new challenge of 32 random bytes. Only its hash is stored. */
export async function storeChallenge(sql: Sql, { ceremony, to, owner, browser }: Binding, now: Date): Promise<Buffer> {
  const challenge = randomBytes(32);
  const expiresAt = new Date(now.getTime() + ceremony.seconds * 1000);
  await sql.rows(store, [
    hashOf(challenge.toString('base64url'), browser),
    ceremony.purpose,
    to,
    owner,
    now,
    expiresAt,
    ceremony.maxOpen - 1,
  ]);
  return challenge;
}

/**
 * Consumes a challenge before anything is verified, so that no response can be sent twice.
 * @throws AppError ceremony_expired when the challenge is unknown, consumed, expired, or bound to something else or to
 * another browser; the latter two do not consume it
 */
export async function consumeChallenge(
  sql: Sql,
  challenge: string,
  { ceremony, to, browser }: Binding,
  now: Date,
): Promise<void> {
  const [consumed] = await sql.rows<{ expiresAt: Date }>(consume, [hashOf(challenge, browser), ceremony.purpose, to]);
  if (!consumed || consumed.expiresAt <= now) throw new AppError('ceremony_expired');
}

/**
 * Layout of a signed challenge in bytes: random bytes, expiration (seconds since 1970), and a truncated HMAC over these
 * and its binding.
 */
const signedLayout = { random: 12, expiration: 4, mac: 16 } as const;

/**
 * A new challenge of a sign-in, 32 bytes. It is not stored: it contains its expiration, and its signature includes the
 * interaction (with its organization).
 */
export function signedChallenge([key]: Keys, interaction: string, now: Date): Buffer {
  const body = Buffer.alloc(signedLayout.random + signedLayout.expiration);
  randomBytes(signedLayout.random).copy(body);
  body.writeUInt32BE(Math.floor(now.getTime() / 1000) + ceremonies.signIn.seconds, signedLayout.random);
  return Buffer.concat([body, macOf(key, body, interaction)]);
}

/**
 * Checks the signature, interaction and expiration of a challenge, but not whether it was consumed: only a verified
 * response consumes it, so that callers without a passkey cannot fill the table.
 * @throws AppError ceremony_expired
 */
export function requireValidSignedChallenge(keys: Keys, challenge: string, interaction: string, now: Date): void {
  const bytes = Buffer.from(challenge, 'base64url');
  const body = bytes.subarray(0, signedLayout.random + signedLayout.expiration);
  const isOurs =
    bytes.length === body.length + signedLayout.mac &&
    keys.some((key) => equal(bytes.subarray(body.length), macOf(key, body, interaction)));
  if (!isOurs || expirationOf(body) <= now) throw new AppError('ceremony_expired');
}

/**
 * Consumes a challenge that passed requireValidSignedChallenge(), after its response was verified.
 * @throws AppError ceremony_expired unless this is the first use
 */
export async function consumeSignedChallenge(
  sql: Sql,
  challenge: string,
  interaction: string,
  now: Date,
): Promise<void> {
  const expiresAt = expirationOf(Buffer.from(challenge, 'base64url'));
  // A minute longer than the challenge is valid, since the clocks of replicas may differ.
  const keptUntil = new Date(expiresAt.getTime() + 60_000);
  const consumed = await sql.rows(consumeSigned, [
    hashOf(challenge, undefined),
    ceremonies.signIn.purpose,
    interaction,
    now,
    keptUntil,
  ]);
  if (consumed.length === 0) throw new AppError('ceremony_expired');
}

function expirationOf(body: Buffer): Date {
  return new Date(body.readUInt32BE(signedLayout.random) * 1000);
}

function macOf(key: Buffer, body: Buffer, interaction: string): Buffer {
  return keyedHash(key, `sign-in challenge ${body.toString('base64url')} ${interaction}`).subarray(0, signedLayout.mac);
}

/** Deletes expired challenges, consumed ones included. */
export async function deleteExpiredChallenges(sql: Sql, now: Date): Promise<void> {
  while ((await sql.rows(deleteExpired, [now])).length === deleteBatchSize);
}

/** Neither value contains the separator. */
function hashOf(challenge: string, browser: string | undefined): Buffer {
  return sha256(browser === undefined ? challenge : `${challenge}.${browser}`);
}
