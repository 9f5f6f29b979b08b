import { Inject, Injectable } from '@nestjs/common';
import type { idempotentCommand, ReplyOf, RequestContext, RequestOf } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { Outbox, type Mark, type OutboxRow } from '@holdfast/outbox';
import { AppError, CLOCK, customerKey, seal, sha256, unseal, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';

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

/** What an earlier request with a key was answered. */
export interface StoredResponse {
  answer: unknown;
  /** The customer whom it concerned; undefined for the erasure itself. */
  subject: string | undefined;
}

/** What is kept of a change for those who repeat it. */
export interface Effect<Answer> {
  answer: Answer;
  /** Whose erasure empties the stored answer. None for the erasure itself: what it leaves behind names nobody. */
  subject?: string;
  /** The last event of the change, and the version that it says: a repeat must be as visible as the first. */
  event: string;
  version: number;
}

/** Of a change that was committed with its events. */
export function effectOn(
  subject: string,
  { rows, mark }: { rows: OutboxRow[]; mark: Mark },
): Omit<Effect<never>, 'answer'> {
  return { subject, event: rows.at(-1)!.id, version: mark.version };
}

/** Keeps an answer in the transaction of its change. */
export type Remember<Answer> = (sql: Sql, effect: Effect<Answer>) => Promise<void>;
type Idempotent = ReturnType<typeof idempotentCommand>;
type AnswerOf<C extends Idempotent> = Omit<ReplyOf<C>, 'replayed'>;

/** How long an answer is kept (product §3). */
export const keptFor = '24 hours';

const stored = statement(
  'idempotency_find',
  `SELECT fingerprint, answer, subject, event, version FROM idempotency WHERE app = $1 AND key_hash = $2 AND created_at > $3::timestamptz - interval '${keptFor}'`,
);
/** Clears away the same key of more than a day ago, so that it can be used again. */
const discard = statement(
  'idempotency_discard',
  `DELETE FROM idempotency WHERE app = $1 AND key_hash = $2 AND created_at <= $3::timestamptz - interval '${keptFor}'`,
);
const applied = statement('idempotency_applied', 'SELECT confirmed FROM outbox WHERE id = $1');
/** Waits for a request with the same key that is still running. */
const store = statement(
  'idempotency_store',
  `INSERT INTO idempotency (app, key_hash, fingerprint, answer, subject, event, version, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT DO NOTHING RETURNING 1`,
);

/** `request` is whatever must be the same in a repeat. */
export function idempotencyKey(
  { org, actor }: Pick<RequestContext, 'org' | 'actor'>,
  key: string,
  request: unknown,
  at: Date,
): IdempotencyKey {
  return { org, app: actor.id, at, keyHash: sha256(key), fingerprint: sha256(JSON.stringify(request)) };
}

function sealedFor({ app, keyHash }: IdempotencyKey): string {
  return `idempotency/${app}/${keyHash.toString('base64url')}`;
}

/** An answer may hold a claim link, and always tells of a customer: it is kept encrypted. */
export function sealResponse(encryptionKey: Buffer, key: IdempotencyKey, answer: unknown): Buffer {
  return seal(encryptionKey, JSON.stringify(answer), sealedFor(key));
}

/** False when the key has an answer already. `answer` is sealed. */
export async function storeAnswer(
  sql: Sql,
  key: IdempotencyKey,
  { answer, subject, event, version }: Effect<Buffer>,
): Promise<boolean> {
  return (
    (await sql.rows(store, [key.app, key.keyHash, key.fingerprint, answer, subject, event, version, key.at])).length > 0
  );
}

/**
 * Answers under an Idempotency-Key. A key commits with its effect or not at all, so a request that was refused uses
 * none up.
 */
@Injectable()
export class Idempotency {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Runs the change of a command once for each key; a repeat gets the answer of the first and changes nothing. `work`
   * must call `remember` in the transaction of its change, under the customer's lock.
   */
  async once<C extends Idempotent>(
    contract: C,
    request: RequestOf<C>,
    context: RequestContext,
    work: (remember: Remember<AnswerOf<C>>) => Promise<AnswerOf<C>>,
  ): Promise<ReplyOf<C>> {
    const { idempotencyKey: given, ...input } = request as { idempotencyKey?: string; subject?: string };
    if (given === undefined) return (await work(async () => undefined)) as ReplyOf<C>;
    // With the command: a key that was used for another one is a mistake as well.
    const key = idempotencyKey(context, given, [contract.subject, input], this.clock.now());
    const earlier = await this.earlier(key, input.subject);
    if (earlier) return replayOf<C>(earlier);
    try {
      return (await work((sql, effect) => this.remember(sql, key, effect))) as ReplyOf<C>;
    } catch (error) {
      // A request with this key beside this one was first: the state that it left refuses this one, or its row was
      // there.
      const first = error instanceof AppError ? await this.earlier(key, input.subject) : undefined;
      if (first) return replayOf<C>(first);
      throw error;
    }
  }

  /**
   * The answer that an earlier request with this key got, if any. `idempotency_mismatch` when that was another request,
   * `conflict` when its customer has been erased since. `concerned` is the customer whom the request names.
   */
  async earlier(key: IdempotencyKey, concerned?: string): Promise<StoredResponse | undefined> {
    const [row] = await this.database.rows<{
      fingerprint: Buffer | null;
      answer: Buffer | null;
      subject: string | null;
      event: string;
      version: number;
    }>(stored, [key.app, key.keyHash, key.at]);
    if (!row) {
      await this.database.rows(discard, [key.app, key.keyHash, key.at]);
      return undefined;
    }
    if (!row.fingerprint || !row.answer)
      throw new AppError(
        'conflict',
        'The customer whom the request with this Idempotency-Key concerned has been erased.',
      );
    if (!row.fingerprint.equals(key.fingerprint)) throw new AppError('idempotency_mismatch');
    const answer: unknown = JSON.parse(
      unseal(this.config.KEY_ENCRYPTION_KEY, row.answer, sealedFor(key)).toString('utf8'),
    );
    await this.requireVisible({ ...row, org: key.org, subject: row.subject ?? concerned });
    return { answer, subject: row.subject ?? undefined };
  }

  /**
   * The first request may have died before its read model had the change: what is answered must be visible all the
   * same.
   */
  private async requireVisible({
    org,
    subject,
    event,
    version,
  }: {
    org: string;
    subject: string | undefined;
    event: string;
    version: number;
  }): Promise<void> {
    const [row] = await this.database.rows<{ confirmed: boolean }>(applied, [event]);
    if (subject !== undefined && row && !row.confirmed)
      await this.outbox.raise({ org, aggregate: customerKey(org, subject), version });
  }

  private async remember(sql: Sql, key: IdempotencyKey, { answer, ...effect }: Effect<unknown>): Promise<void> {
    const sealed = sealResponse(this.config.KEY_ENCRYPTION_KEY, key, answer);
    if (!(await storeAnswer(sql, key, { ...effect, answer: sealed })))
      throw new AppError('idempotency_in_progress', undefined, { retryAfter: 1 });
  }
}

function replayOf<C extends Idempotent>({ answer, subject }: StoredResponse): ReplyOf<C> {
  return { ...(answer as AnswerOf<C>), replayed: subject === undefined ? {} : { subject } } as ReplyOf<C>;
}
