import { randomBytes } from 'node:crypto';
import { statement, type Sql } from '@holdfast/data';
import { AppError, sha256 } from '@holdfast/kit';

/**
 * How long a ceremony may take, in seconds, and how many of one binding may be under way. A sign-in page may idle with the
 * passkey offered in its form field. A claim link may be opened on many devices: whoever loses the race must hear that
 * somebody was faster, not that the ceremony ran out; only the holder of the link can begin one.
 */
export const ceremonies = {
  claim: { purpose: 'claim', seconds: 300, most: 100 },
  signIn: { purpose: 'sign_in', seconds: 600, most: 5 },
} as const;
export type Ceremony = (typeof ceremonies)[keyof typeof ceremonies];

/** The table of a service that holds ceremonies, for its migrations. A challenge goes with its owner, a row of `owners`. */
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
const take = statement('challenge_take', 'DELETE FROM challenge WHERE hash = $1 AND purpose = $2 AND binding = $3 RETURNING expires_at AS "expiresAt"');
const clear = statement('challenge_clear', 'DELETE FROM challenge WHERE expires_at <= $1');

/** What a challenge belongs to: it is worth nothing for another organization, offer or interaction. */
export interface Binding {
  ceremony: Ceremony;
  /** The offer or the interaction, with its organization. */
  to: string;
  /** Hash of the secret of the browser that began it, where that is not part of `to`: only there it ends. */
  browser?: string;
  /** Whose erasure takes it along. */
  owner?: string;
}

/** A new challenge of 32 random bytes. Only its hash is stored. */
export async function putChallenge(sql: Sql, { ceremony, to, owner, browser }: Binding, now: Date): Promise<Buffer> {
  const challenge = randomBytes(32);
  const expiresAt = new Date(now.getTime() + ceremony.seconds * 1000);
  await sql.rows(put, [hashOf(challenge.toString('base64url'), browser), ceremony.purpose, to, owner, now, expiresAt, ceremony.most - 1]);
  return challenge;
}

/**
 * Uses up a challenge, before anything is verified: whatever comes of the answer, it cannot be sent again.
 * @throws AppError ceremony_expired when it is unknown, used, of something else, of another browser (which does not use it up) or too old
 */
export async function takeChallenge(sql: Sql, challenge: string, { ceremony, to, browser }: Binding, now: Date): Promise<void> {
  const [taken] = await sql.rows<{ expiresAt: Date }>(take, [hashOf(challenge, browser), ceremony.purpose, to]);
  if (!taken || taken.expiresAt <= now) throw new AppError('ceremony_expired');
}

/** Removes challenges that nobody answered in time. */
export async function clearChallenges(sql: Sql, now: Date): Promise<void> {
  await sql.rows(clear, [now]);
}

/** Neither holds the separator. */
function hashOf(challenge: string, browser: string | undefined): Buffer {
  return sha256(browser === undefined ? challenge : `${challenge}.${browser}`);
}
