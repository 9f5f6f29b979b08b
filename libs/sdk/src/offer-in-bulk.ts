import type { Schemas } from '@holdfast/api-client';
import type { Holdfast } from './holdfast-client.js';

export interface BulkAccount {
  /** Its id in your database: the same one gets the same offer again for 24 hours. */
  id: string;
  offer?: Schemas['OfferRequest'];
}

export interface BulkOptions<Account> {
  /** Stores `subject` with the account, and `claimUrl` until the message to the customer is sent. */
  save(account: Account, offer: Schemas['Offer']): Promise<void> | void;
  /** Offers in flight at once. Default: 16. */
  concurrency?: number;
  /** Begins no further offers. */
  signal?: AbortSignal;
}

/**
 * Makes an offer for each account, such as those of customers who have a password so far. When it ends with an error,
 * or your process is killed, call it again with the accounts that have no `subject` yet: an offer that was made but not
 * saved is the same again, for 24 hours.
 *
 * @returns how many offers were saved
 * @throws the first error, after the offers in flight have been saved
 */
export async function offerInBulk<Account extends BulkAccount>(
  holdfast: Holdfast,
  accounts: Iterable<Account> | AsyncIterable<Account>,
  options: BulkOptions<Account>,
): Promise<number> {
  const { concurrency = 16, signal } = options;
  const queue: Iterator<Account> | AsyncIterator<Account> =
    Symbol.asyncIterator in accounts ? accounts[Symbol.asyncIterator]() : accounts[Symbol.iterator]();
  let saved = 0;
  let hasFailed = false;

  async function work(): Promise<void> {
    while (!hasFailed && !signal?.aborted) {
      const next = await queue.next();
      if (next.done) return;
      const account = next.value;
      try {
        const idempotencyKey = await keyOf(account.id);
        const offer = await holdfast.createOffer({ ...(account.offer && { body: account.offer }), idempotencyKey });
        await options.save(account, offer);
        saved += 1;
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  }

  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  await queue.return?.();
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
  return saved;
}

/** A hash, since an id may be long, have letters that a header cannot have, or say who the customer is. */
async function keyOf(id: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id)));
  return `bulk-${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
