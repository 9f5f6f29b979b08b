import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Contract, idempotentCommand, ReplyOf, RequestContext, RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import {
  AppError,
  CLOCK,
  customerKey,
  encryptionKeysOf,
  type Clock,
  type KeyEncryptionConfig,
} from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { Outbox } from '../outbox.js';
import { KeyedRequest, type StoredEvent } from './keyed-request.js';

type Idempotent = ReturnType<typeof idempotentCommand>;
type ResponseOf<C extends Idempotent> = Omit<ReplyOf<C>, 'replayed'>;

/** How long a response is stored (product §3). */
export const storedFor = '24 hours';

const find = statement(
  'idempotency_find',
  `SELECT fingerprint, response, subject, event, version FROM idempotency
   WHERE app = $1 AND key_hash = $2 AND created_at > $3::timestamptz - interval '${storedFor}'`,
);
/** Deletes the same key of more than a day ago, so that it can be used again. */
const discard = statement(
  'idempotency_discard',
  `DELETE FROM idempotency
   WHERE app = $1 AND key_hash = $2 AND created_at <= $3::timestamptz - interval '${storedFor}'`,
);
const confirmed = statement('idempotency_confirmed', 'SELECT confirmed FROM outbox WHERE id = $1');

interface IdempotentResult<Response> {
  response: Response;
  /** Set when the response is that of an earlier request with the key. */
  replayOf?: {
    /** The customer or person whom the earlier request concerned, if any; absent for an erasure. */
    subject?: string;
  };
}

/**
 * Stored responses under Idempotency-Keys. A key commits with its effect or not at all, so a denied request uses none.
 */
@Injectable()
export class Idempotency {
  constructor(
    private readonly database: Database,
    /** Absent in a service that emits no events: no read model waits for its changes. */
    @Optional() private readonly outbox: Outbox | undefined,
    @Inject(CONFIG) private readonly config: KeyEncryptionConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** `run` for a command that is declared as idempotent. */
  async once<C extends Idempotent>(
    contract: C,
    request: RequestOf<C>,
    context: RequestContext,
    work: (keyed?: KeyedRequest) => Promise<ResponseOf<C>>,
  ): Promise<ReplyOf<C>> {
    const { idempotencyKey, ...input } = request as { idempotencyKey?: string; subject?: string };
    const { response, replayOf } = await this.run(contract, idempotencyKey, input, context, work);
    return { ...response, ...(replayOf && { replayed: replayOf }) } as ReplyOf<C>;
  }

  /**
   * Runs the change of a command once for each key. A repeat gets the response of the first request and changes
   * nothing. `work` hands the keyed request to its change, which stores the response in its transaction.
   */
  async run<Response>(
    contract: Contract,
    idempotencyKey: string | undefined,
    input: { subject?: string },
    context: RequestContext,
    work: (keyed?: KeyedRequest) => Promise<Response>,
  ): Promise<IdempotentResult<Response>> {
    if (idempotencyKey === undefined) return { response: await work() };
    // The fingerprint includes the command: a key that was used for another command is a mismatch as well.
    const request = [contract.subject, input];
    const keys = encryptionKeysOf(this.config);
    const keyed = new KeyedRequest(context, idempotencyKey, request, this.clock.now(), keys);
    // Before everything else: a repeat gets the stored response, whatever has changed since.
    const earlier = await this.earlier<Response>(keyed, input.subject);
    if (earlier) return earlier;
    try {
      return { response: await work(keyed) };
    } catch (error) {
      // A concurrent request with this key may have been first: then the new state denies this one, or the key has a
      // row.
      const first = error instanceof AppError ? await this.earlier<Response>(keyed, input.subject) : undefined;
      if (first) return first;
      throw error;
    }
  }

  /**
   * The stored response of an earlier request with this key, if any. `subject` is the customer or person whom the
   * request names.
   * @throws AppError idempotency_mismatch when that was another request, conflict when they have been erased
   */
  private async earlier<Response>(
    keyed: KeyedRequest,
    subject?: string,
  ): Promise<IdempotentResult<Response> | undefined> {
    const key = [keyed.app, keyed.keyHash, keyed.at];
    const [row] = await this.database.rows<
      { fingerprint: Buffer | null; response: Buffer | null; subject: string | null } & Omit<StoredEvent, 'subject'>
    >(find, key);
    if (!row) {
      await this.database.rows(discard, key);
      return undefined;
    }
    if (!row.fingerprint || !row.response)
      throw new AppError(
        'conflict',
        'The request with this Idempotency-Key succeeded, and the customer or person whom it concerned has been ' +
          'erased since. Nothing was done now.',
      );
    if (!row.fingerprint.equals(keyed.fingerprint)) throw new AppError('idempotency_mismatch');
    const response = keyed.unsealed(row.response) as Response;
    await this.requireVisible(keyed.org, row.subject ?? subject, row);
    return { response, replayOf: row.subject === null ? {} : { subject: row.subject } };
  }

  /**
   * The first request may have failed before the read model had applied its change, which a repeat must wait for too.
   */
  private async requireVisible(
    org: string,
    subject: string | undefined,
    { event, version }: Omit<StoredEvent, 'subject'>,
  ): Promise<void> {
    if (subject === undefined || !this.outbox) return;
    const [row] = await this.database.rows<{ confirmed: boolean }>(confirmed, [event]);
    if (row && !row.confirmed) await this.outbox.raise({ org, aggregate: customerKey(org, subject), version });
  }
}
