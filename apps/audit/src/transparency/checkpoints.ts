import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database, isPermanentError, statement, type Transaction } from '@holdfast/data';
import { AppError, unavailable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import {
  CompactRange,
  consistencyProof,
  FormatError,
  readCheckpoint,
  verifyConsistency,
  type Checkpoint,
  type ReadHashes,
} from '@holdfast/tlog';
import { SignedLogs } from '../append/changed-logs.js';
import type { AuditConfig } from '../config.js';
import { BrokenLogs } from './broken-logs.js';
import { CheckpointFiles, type StoredCheckpoint } from './checkpoint-files.js';
import { originOf, SigningKeys } from './signing-keys.js';
import { IncompleteTree, TreeReader } from './tree.js';

const insertFirst = statement(
  'checkpoint_first',
  `INSERT INTO checkpoint (org, size, note)
   SELECT org, 0, '' FROM head WHERE org = ANY ($1) ORDER BY org ON CONFLICT DO NOTHING`,
);
/** One replica signs a log at a time. Ordered by organization, so that two batches cannot deadlock. */
const lockLast = statement(
  'checkpoint_lock',
  'SELECT org, size, note FROM checkpoint WHERE org = ANY ($1) ORDER BY org FOR UPDATE',
);
const selectHeads = statement('checkpoint_head', 'SELECT org, seq AS size, range FROM head WHERE org = ANY ($1)');
const selectLast = statement('checkpoint_last', 'SELECT note FROM checkpoint WHERE org = $1');
/** For the SELECTs around the parameters see `unnestOfAnyLength` of @holdfast/data. */
const storeCheckpoints = statement(
  'checkpoint_store',
  `UPDATE checkpoint c SET size = s.size, note = s.note
     FROM unnest((SELECT $1::text[]), (SELECT $2::bigint[]), (SELECT $3::text[])) AS s(org, size, note)
    WHERE c.org = s.org`,
);

/** Logs that are signed in one transaction and with one file. Their rows in `checkpoint` are locked for as long. */
const batchSize = 250;
/** While one batch waits for PostgreSQL or for the disk, another one is signed. */
const maxBatches = 2;
/** Signatures without a break, about 2 ms: appends wait for them. */
const signaturesPerTurn = 50;

export interface SignedCheckpoint extends Checkpoint {
  note: string;
}

/** The log does not continue what was signed before. The message says why, for operators. */
class BrokenLog extends Error {}

/** Signs checkpoints of the logs, and nothing that does not continue what was signed before. */
@Injectable()
export class Checkpoints {
  private readonly keys = new Map<string, SigningKeys>();
  /** Logs to be signed. All callers that request a checkpoint before it begins share it. */
  private readonly waiting = new Map<string, PromiseWithResolvers<SignedCheckpoint>>();
  private batches = 0;

  constructor(
    private readonly database: Database,
    private readonly files: CheckpointFiles,
    private readonly brokenLogs: BrokenLogs,
    private readonly signedLogs: SignedLogs,
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'AUDIT_SIGNING_KEYS' | 'BASE_URL'>,
  ) {}

  keysOf(org: string): SigningKeys {
    let keys = this.keys.get(org);
    if (!keys)
      this.keys.set(org, (keys = new SigningKeys(this.config.AUDIT_SIGNING_KEYS, originOf(this.config.BASE_URL, org))));
    return keys;
  }

  /**
   * Covers every record that was appended before this call.
   * @throws unavailable when the log does not continue what was signed before
   */
  newest(org: string): Promise<SignedCheckpoint> {
    let waiting = this.waiting.get(org);
    if (!waiting) {
      this.waiting.set(org, (waiting = Promise.withResolvers()));
      void this.signWaiting();
    }
    return waiting.promise;
  }

  /**
   * A checkpoint that covers entries after `after`. Further pages use the last one again, since each new one is written
   * to disk.
   */
  async forExport(org: string, after: number): Promise<SignedCheckpoint> {
    const [last] =
      after === 0
        ? []
        : (await this.database.rows<{ note: string }>(selectLast, [org])).flatMap(({ note }) => readable(note));
    return last && last.size > after ? last : this.newestOrLastSigned(org);
  }

  /**
   * Of a broken log the largest checkpoint that was signed before, without a note when none can be read: an export then
   * shows a verifier what is wrong with the log, and where.
   */
  private async newestOrLastSigned(org: string): Promise<SignedCheckpoint> {
    try {
      return await this.newest(org);
    } catch (error) {
      if (!this.brokenLogs.find(org)) throw error;
      const stored = await this.database.rows<{ note: string }>(selectLast, [org]);
      const signedBefore = [...stored.map(({ note }) => note), (await this.files.newestOf([org])).get(org)?.note ?? '']
        .flatMap(readable)
        .toSorted((a, b) => b.size - a.size);
      return signedBefore[0] ?? { origin: this.keysOf(org).origin, size: 0, root: emptyRoot, note: '' };
    }
  }

  private async signWaiting(): Promise<void> {
    if (this.batches === maxBatches) return;
    this.batches += 1;
    // Logs that are requested in the same turn of the event loop share a batch.
    await setImmediate();
    while (this.waiting.size > 0) {
      const batch = [...this.waiting].slice(0, batchSize);
      for (const [org] of batch) this.waiting.delete(org);
      await this.settle(new Map(batch));
    }
    this.batches -= 1;
  }

  private async settle(batch: ReadonlyMap<string, PromiseWithResolvers<SignedCheckpoint>>): Promise<void> {
    try {
      for (const [org, result] of await this.sign([...batch.keys()])) {
        const { resolve, reject } = batch.get(org)!;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      // One log, such as one that is being moved, must not keep the others from being signed.
      if (batch.size > 1 && !(error instanceof AppError) && isPermanentError(error))
        for (const one of batch) await this.settle(new Map([one]));
      else for (const { reject } of batch.values()) reject(error);
    }
  }

  private async sign(orgs: string[]): Promise<Map<string, SignedCheckpoint | Error>> {
    const { results, signed } = await this.database.transaction((sql) => this.signInTransaction(sql, orgs));
    this.signedLogs.add(signed);
    for (const [org, result] of results) {
      if (!(result instanceof Error)) this.brokenLogs.resolve(org);
      else if (result instanceof BrokenLog || result instanceof IncompleteTree) {
        this.brokenLogs.report(org, result.message);
        results.set(org, unavailable(`The audit log cannot be proved at present: ${result.message}.`, 60));
      }
    }
    return results;
  }

  private async signInTransaction(
    sql: Transaction,
    orgs: string[],
  ): Promise<{ results: Map<string, SignedCheckpoint | Error>; signed: Iterable<string> }> {
    let states = await loadStates(sql, orgs);
    if (states.some(({ head, last }) => head && !last)) {
      await sql.rows(insertFirst, [orgs]);
      states = await loadStates(sql, orgs);
    }
    const files = await this.files.newestOf(orgs);
    const trees = new TreeReader(sql);
    const results = new Map(
      await Promise.all(
        states.map(async (state) => {
          const { org } = state;
          return [org, await this.proved(state, files.get(org), trees.of(org)).catch(asResult)] as const;
        }),
      ),
    );
    const signed = new Map<string, SignedCheckpoint>();
    for (const [org, result] of results) {
      if (result instanceof Error || result.note !== '') continue;
      signed.set(org, { ...result, note: this.keysOf(org).sign(result) });
      if (signed.size % signaturesPerTurn === 0) await setImmediate();
    }
    if (signed.size === 0) return { results, signed: [] };
    // The file first: a published checkpoint must be known even if the database is restored to a time before it.
    await this.files.store(signed);
    const checkpoints = [...signed.values()];
    await sql.last(storeCheckpoints, [
      [...signed.keys()],
      checkpoints.map(({ size }) => size),
      checkpoints.map(({ note }) => note),
    ]);
    return { results: new Map([...results, ...signed]), signed: signed.keys() };
  }

  /** The tree of a log, which continues what was signed before. The note is empty if it has to be signed. */
  private async proved(
    { org, head, last }: LogState,
    file: StoredCheckpoint | undefined,
    read: ReadHashes,
  ): Promise<SignedCheckpoint> {
    if (!head && (last ?? file) !== undefined)
      throw new BrokenLog('the head of the log (its row in audit.head) is gone');
    if (!head || !last) throw new AppError('unknown_organization');
    const keys = this.keysOf(org);
    const now = { origin: keys.origin, size: head.size, root: rootOf(head) };
    await Promise.all([
      last.note !== '' && assertContinues(now, last.note, 'in the database', read),
      file && file.note !== last.note && assertContinues(now, file.note, `in ${file.path}`, read),
    ]);
    const isSigned = last.size === now.size && file?.note === last.note && keys.haveSigned(last.note);
    return { ...now, note: isSigned ? last.note : '' };
  }
}

/** What is stored of a log, read while its row in `checkpoint` is locked. */
interface LogState {
  org: string;
  head?: { size: number; range: Buffer };
  last?: { size: number; note: string };
}

async function loadStates(sql: Transaction, orgs: string[]): Promise<LogState[]> {
  // Both are sent at once. PostgreSQL reads the heads after the rows are locked, so that checkpoints of other replicas
  // are covered.
  const [last, heads] = await Promise.all([
    sql.rows<{ org: string; size: number; note: string }>(lockLast, [orgs]),
    sql.rows<{ org: string; size: number; range: Buffer }>(selectHeads, [orgs]),
  ]);
  const lastOf = new Map(last.map((row) => [row.org, row]));
  const headOf = new Map(heads.map((row) => [row.org, row]));
  return orgs.map((org) => ({ org, head: headOf.get(org), last: lastOf.get(org) }));
}

/** Errors that concern one log. The others end the transaction. */
function asResult(error: unknown): Error {
  if (error instanceof BrokenLog || error instanceof AppError) return error;
  throw error;
}

const emptyRoot = CompactRange.empty().root();

function readable(note: string): SignedCheckpoint[] {
  try {
    return [{ ...readCheckpoint(note), note }];
  } catch {
    return [];
  }
}

function rootOf({ size, range }: { size: number; range: Buffer }): Buffer {
  try {
    return CompactRange.from(size, range).root();
  } catch {
    throw new BrokenLog(`the head of the log was changed: its hashes are not those of ${size} entries`);
  }
}

/**
 * Returns when the tree `now` continues the checkpoint `note`, which is stored at `location`.
 * @throws BrokenLog when the log was truncated or rewritten since. Signing it would create a second history
 */
async function assertContinues(now: Checkpoint, note: string, location: string, read: ReadHashes): Promise<void> {
  const before = checkpointOf(note, location);
  if (before.origin !== now.origin)
    throw new BrokenLog(
      `the checkpoint ${location} is of another log: ${before.origin}, where ${now.origin} was expected. ` +
        'Has BASE_URL been changed?',
    );
  if (before.size > now.size)
    throw new BrokenLog(
      `the log ends at ${now.size}, but the checkpoint ${location} covers ${before.size}: ` +
        `${before.size - now.size} entries are gone`,
    );
  const proof = await consistencyProof(before.size, now.size, read);
  if (!verifyConsistency({ from: before.size, to: now.size, fromRoot: before.root, toRoot: now.root, proof })) {
    throw new BrokenLog(
      `the log of ${now.size} entries does not continue the ${before.size} of the checkpoint ${location}: ` +
        'entries were changed',
    );
  }
}

function checkpointOf(note: string, location: string): Checkpoint {
  try {
    return readCheckpoint(note);
  } catch (error) {
    if (error instanceof FormatError)
      throw new BrokenLog(`the checkpoint ${location} cannot be read: ${error.message}`);
    throw error;
  }
}
