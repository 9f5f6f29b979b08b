import { randomBytes } from 'node:crypto';
import { statement, type Sql } from '@holdfast/data';
import { AppError, equal, keyedHash, sha256 } from '@holdfast/platform';

/**
 * How long a ceremony may take, in seconds, and how many of one binding may be under way. A sign-in page may idle with
 * the passkey offered in its form field; since anybody may begin a sign-in, its challenges are not stored, but signed.
 * A claim link may be opened on many devices: whoever loses the race must hear that somebody was faster, not that the
 * ceremony ran out; only the holder of the link can begin one.
 */
export const ceremonies = {
  claim: { purpose: 'claim', seconds: 300, most: 100 },
  signIn: { purpose: 'sign_in', seconds: 600 },
} as const;

/**
 * The table of a service that holds ceremonies, for its migrations. A challenge goes with its owner, a row of `owners`.
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

/** Makes room for the new one: the oldest go. SKIP LOCKED, so that two who clear at once do not wait for each other. */
const put = statement(
  'challenge_put',
  `WITH surplus AS (
     SELECT hash FROM challenge WHERE hash IN (
       SELECT hash FROM challenge WHERE purpose = $2 AND binding = $3 ORDER BY created_at DESC, hash OFFSET $7)
     FOR UPDATE SKIP LOCKED),
   cleared AS (DELETE FROM challenge WHERE hash IN (SELECT hash FROM surplus))
   INSERT INTO challenge (hash, purpose, binding, owner, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
);
/** One statement finds it and takes it away: of any number of takers one gets it, on whatever replica. */
const take = statement(
  'challenge_take',
  'DELETE FROM challenge WHERE hash = $1 AND purpose = $2 AND binding = $3 RETURNING expires_at AS "expiresAt"',
);
/** Of many who use the same one, the primary key lets one through. It is kept until it would be refused for its age. */
const use = statement(
  'challenge_use',
  'INSERT INTO challenge (hash, purpose, binding, created_at, expires_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING 1',
);
/** By its index, so many at once: what a flood left behind must not hold a transaction open for long. */
const clearAtOnce = 1000;
const clear = statement(
  'challenge_clear',
  `DELETE FROM challenge WHERE hash IN (SELECT hash FROM challenge WHERE expires_at <= $1 LIMIT ${clearAtOnce} FOR UPDATE SKIP LOCKED) RETURNING 1`,
);

/** What a stored challenge belongs to: it is worth nothing for another organization or offer. */
export interface Binding {
  ceremony: typeof ceremonies.claim;
  /** The offer, with its organization. */
  to: string;
  /** Hash of the secret of the browser that began it, where that is not part of `to`: only there it ends. */
  browser?: string;
  /** Whose erasure takes it along. */
  owner?: string;
}

/** A new challenge of 32 random bytes. Only its hash is stored. */
export async function storeChallenge(sql: Sql, { ceremony, to, owner, browser }: Binding, now: Date): Promise<Buffer> {
  const challenge = randomBytes(32);
  const expiresAt = new Date(now.getTime() + ceremony.seconds * 1000);
  await sql.rows(put, [
    hashOf(challenge.toString('base64url'), browser),
    ceremony.purpose,
    to,
    owner,
    now,
    expiresAt,
    ceremony.most - 1,
  ]);
  return challenge;
}

/**
 * Uses up a challenge, before anything is verified: whatever comes of the answer, it cannot be sent again.
 * @throws AppError ceremony_expired when it is unknown, used, of something else, of another browser (which does not use
 * it up) or too old
 */
export async function consumeChallenge(
  sql: Sql,
  challenge: string,
  { ceremony, to, browser }: Binding,
  now: Date,
): Promise<void> {
  const [taken] = await sql.rows<{ expiresAt: Date }>(take, [hashOf(challenge, browser), ceremony.purpose, to]);
  if (!taken || taken.expiresAt <= now) throw new AppError('ceremony_expired');
}

/**
 * Bytes of a signed challenge: random ones, when it ends (seconds since 1970), and a truncated HMAC over all that it is
 * bound to.
 */
const signedParts = { random: 12, end: 4, mac: 16 } as const;

/**
 * A new challenge of a sign-in, 32 bytes. Nothing is stored of it: it says itself until when it counts, and for which
 * interaction (with its organization) is part of what is signed.
 */
export function signedChallenge(key: Buffer, interaction: string, now: Date): Buffer {
  const body = Buffer.alloc(signedParts.random + signedParts.end);
  randomBytes(signedParts.random).copy(body);
  body.writeUInt32BE(Math.floor(now.getTime() / 1000) + ceremonies.signIn.seconds, signedParts.random);
  return Buffer.concat([body, macOf(key, body, interaction)]);
}

/**
 * Whether a challenge is ours, of this interaction, and in time. That it has not been used is not said yet: only an
 * answer that was verified uses one up, so that nobody without a passkey can store anything.
 * @throws AppError ceremony_expired
 */
export function requireValidSignedChallenge(key: Buffer, challenge: string, interaction: string, now: Date): void {
  const bytes = Buffer.from(challenge, 'base64url');
  const body = bytes.subarray(0, signedParts.random + signedParts.end);
  const isOurs =
    bytes.length === body.length + signedParts.mac && equal(bytes.subarray(body.length), macOf(key, body, interaction));
  if (!isOurs || endOf(body) <= now) throw new AppError('ceremony_expired');
}

/**
 * Uses up a challenge that requireValidSignedChallenge() took, of an answer that was verified. @throws AppError ceremony_expired for
 * all but the first
 */
export async function consumeSignedChallenge(
  sql: Sql,
  challenge: string,
  interaction: string,
  now: Date,
): Promise<void> {
  const end = endOf(Buffer.from(challenge, 'base64url'));
  // Kept a minute longer than it counts: the clocks of replicas need not agree.
  const keptUntil = new Date(end.getTime() + 60_000);
  const used = await sql.rows(use, [
    hashOf(challenge, undefined),
    ceremonies.signIn.purpose,
    interaction,
    now,
    keptUntil,
  ]);
  if (used.length === 0) throw new AppError('ceremony_expired');
}

function endOf(body: Buffer): Date {
  return new Date(body.readUInt32BE(signedParts.random) * 1000);
}

function macOf(key: Buffer, body: Buffer, interaction: string): Buffer {
  return keyedHash(key, `sign-in challenge ${body.toString('base64url')} ${interaction}`).subarray(0, signedParts.mac);
}

/** Removes challenges that nobody answered in time, and used ones that have ended. */
export async function deleteExpiredChallenges(sql: Sql, now: Date): Promise<void> {
  while ((await sql.rows(clear, [now])).length === clearAtOnce);
}

/** Neither holds the separator. */
function hashOf(challenge: string, browser: string | undefined): Buffer {
  return sha256(browser === undefined ? challenge : `${challenge}.${browser}`);
}
