import { Inject, Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement, type Sql } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { presenceError, type Proof } from './provider.js';

const find = statement(
  'presence_proof_find',
  'SELECT 1 FROM consumed_presence_proof WHERE org = $1 AND provider = $2 AND id = $3',
);
const insert = statement(
  'presence_proof_consume',
  `INSERT INTO consumed_presence_proof (org, provider, id, expires_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT DO NOTHING RETURNING 1`,
);
const batchSize = 1000;
const clear = statement(
  'presence_proof_clear',
  `DELETE FROM consumed_presence_proof WHERE (org, provider, id) IN (
     SELECT org, provider, id FROM consumed_presence_proof p WHERE expires_at <= $1 AND ${isNotFenced('p.org')}
     LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) RETURNING 1`,
);
/** An hour longer than a proof is valid: the clocks of replicas need not agree. */
const retentionMs = 3_600_000;

/**
 * Consumes a proof in the transaction of its offer: both commit or neither does. A concurrent request with the same
 * proof waits for the outcome.
 * @throws AppError presence_replayed
 */
export async function consume(sql: Sql, org: string, { provider, id, expiresAt }: Proof): Promise<void> {
  if ((await sql.rows(insert, [org, provider, id, expiresAt])).length === 0) throw replayed();
}

/** Runs before the verification: Turnstile does not distinguish used from expired tokens. @throws presence_replayed */
export async function requireUnconsumed(sql: Sql, org: string, provider: Proof['provider'], id: string): Promise<void> {
  if ((await sql.rows(find, [org, provider, id])).length > 0) throw replayed();
}

function replayed() {
  return presenceError(
    'presence_replayed',
    'An offer was made with this proof already; let the visitor solve a new challenge.',
  );
}

/** Deletes consumed proofs that are too old to be accepted anyway. */
@Injectable()
export class ClearConsumedProofs {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'consumed_proofs_cleanup',
    intervalMs: 600_000,
    requiresAgreedClock: true,
    failure: 'Failed to remove consumed presence proofs that have expired',
  })
  async clear(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - retentionMs);
    while ((await this.database.rows(clear, [before])).length === batchSize);
  }
}
