import type { RequestContext } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { AppError, seal, sha256, unseal, type Keys } from '@holdfast/platform';
import type { SealedTable } from '@holdfast/service';

/** The event that the read model must have applied before a repeat of the request gets its response. */
export interface StoredEvent {
  /**
   * The customer or person whose erasure empties the stored response. Absent when the response concerns nobody, such as
   * that of an erasure.
   */
  subject?: string;
  /** The last event of the change. */
  event: string;
  version: number;
}

/** The stored row of a request, for a statement that inserts it together with the change. */
export interface SealedResponse {
  /** The caller, whose key it is. */
  app: string;
  keyHash: Buffer;
  fingerprint: Buffer;
  response: Buffer;
}

/** The insert waits for a request with the same key that is still in progress. */
const store = statement(
  'idempotency_store',
  `INSERT INTO idempotency (app, key_hash, fingerprint, response, subject, event, version, created_at, org)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING 1`,
);

/** A request with an Idempotency-Key. Only hashes are stored, since callers may put personal data into keys. */
export class KeyedRequest {
  readonly org: string;
  /** The caller: the client ID of an app, or a person. */
  readonly app: string;
  readonly keyHash: Buffer;
  /** Hash of the request: the same key with another request is a mistake of the caller. */
  readonly fingerprint: Buffer;

  /** `at` is the time of the request by the service's clock. The response is stored for a day from then. */
  constructor(
    { org, actor }: Pick<RequestContext, 'org' | 'actor'>,
    key: string,
    request: unknown,
    readonly at: Date,
    private readonly keys: Keys,
  ) {
    this.org = org;
    this.app = actor.id;
    this.keyHash = sha256(key);
    this.fingerprint = sha256(JSON.stringify(request));
  }

  /** The response is encrypted, since it may contain a claim link, a client secret or personal data. */
  sealed(response: unknown): SealedResponse {
    const { app, keyHash, fingerprint } = this;
    return { app, keyHash, fingerprint, response: seal(this.keys[0], JSON.stringify(response), this.sealedFor) };
  }

  unsealed(response: Buffer): unknown {
    return JSON.parse(unseal(this.keys, response, this.sealedFor).toString('utf8'));
  }

  /**
   * Stores the response in the transaction of the change.
   * @throws AppError idempotency_in_progress when the key has a response already
   */
  async store(sql: Sql, response: unknown, { subject, event, version }: StoredEvent): Promise<void> {
    const { response: sealed } = this.sealed(response);
    const values = [this.app, this.keyHash, this.fingerprint, sealed, subject, event, version, this.at, this.org];
    if ((await sql.rows(store, values)).length === 0) throw idempotencyInProgress();
  }

  private get sealedFor(): string {
    return storedResponseContext({ app: this.app, key_hash: this.keyHash });
  }
}

function storedResponseContext({ app, key_hash: keyHash }: { app: string; key_hash: Buffer }): string {
  return `idempotency/${app}/${keyHash.toString('base64url')}`;
}

/** Stored responses, which are encrypted again during a rotation of KEY_ENCRYPTION_KEY. */
export const storedResponses: SealedTable = {
  name: 'idempotency',
  column: 'response',
  key: { app: 'text', key_hash: 'bytea' },
  where: 'response IS NOT NULL',
  contextOf: storedResponseContext,
};

export function idempotencyInProgress(): AppError {
  return new AppError('idempotency_in_progress', undefined, { retryAfter: 1 });
}
