import { Inject, Injectable } from '@nestjs/common';
import { Database, statement, type Transaction } from '@holdfast/data';
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
import type { AuditConfig } from '../config.js';
import { BrokenLogs } from './broken-logs.js';
import { CheckpointFiles } from './checkpoint-files.js';
import { originOf, SigningKeys } from './signing-keys.js';
import { hashReader, IncompleteTree } from './tree.js';

const insertFirst = statement(
  'checkpoint_first',
  "INSERT INTO checkpoint (org, size, note) SELECT org, 0, '' FROM head WHERE org = $1 ON CONFLICT DO NOTHING",
);
/** One replica signs at a time. */
const lockLast = statement('checkpoint_lock', 'SELECT size, note FROM checkpoint WHERE org = $1 FOR UPDATE');
const selectHead = statement('checkpoint_head', 'SELECT seq AS size, range FROM head WHERE org = $1');
const selectLast = statement('checkpoint_last', 'SELECT note FROM checkpoint WHERE org = $1');
const storeCheckpoint = statement('checkpoint_store', 'UPDATE checkpoint SET size = $2, note = $3 WHERE org = $1');

export interface SignedCheckpoint extends Checkpoint {
  note: string;
}

/** The log does not continue what was signed before. The message says why, for operators. */
class BrokenLog extends Error {}

/** Signs checkpoints of the logs, and nothing that does not continue what was signed before. */
@Injectable()
export class Checkpoints {
  private readonly keys = new Map<string, SigningKeys>();
  /** The next signature of each log. All callers that request a checkpoint before it begins share it. */
  private readonly next = new Map<string, Promise<SignedCheckpoint>>();
  private readonly signing = new Map<string, Promise<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly files: CheckpointFiles,
    private readonly brokenLogs: BrokenLogs,
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
    const next = this.next.get(org);
    if (next) return next;
    const signature = (this.signing.get(org) ?? Promise.resolve()).then(() => {
      this.next.delete(org);
      return this.sign(org);
    });
    const settled = signature
      .catch(() => undefined)
      .finally(() => this.signing.get(org) === settled && this.signing.delete(org));
    this.next.set(org, signature);
    this.signing.set(org, settled);
    return signature;
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
      const signedBefore = [...stored.map(({ note }) => note), (await this.files.latest(org)) ?? '']
        .flatMap(readable)
        .toSorted((a, b) => b.size - a.size);
      return signedBefore[0] ?? { origin: this.keysOf(org).origin, size: 0, root: emptyRoot, note: '' };
    }
  }

  private async sign(org: string): Promise<SignedCheckpoint> {
    try {
      const checkpoint = await this.database.transaction((sql) => this.signInTransaction(sql, org));
      this.brokenLogs.resolve(org);
      return checkpoint;
    } catch (error) {
      if (!(error instanceof BrokenLog || error instanceof IncompleteTree)) throw error;
      this.brokenLogs.report(org, error.message);
      throw unavailable(`The audit log cannot be proved at present: ${error.message}.`, 60);
    }
  }

  private async signInTransaction(sql: Transaction, org: string): Promise<SignedCheckpoint> {
    let [last] = await sql.rows<{ size: number; note: string }>(lockLast, [org]);
    if (!last) {
      await sql.rows(insertFirst, [org]);
      [last] = await sql.rows<{ size: number; note: string }>(lockLast, [org]);
    }
    // Read after the row is locked, so that checkpoints of other replicas are included.
    const [head] = await sql.rows<{ size: number; range: Buffer }>(selectHead, [org]);
    const file = await this.files.latest(org);
    if (!head && (last ?? file) !== undefined)
      throw new BrokenLog('the head of the log (its row in audit.head) is gone');
    if (!head || !last) throw new AppError('unknown_organization');
    const keys = this.keysOf(org);
    const now = { origin: keys.origin, size: head.size, root: rootOf(head) };
    const read = hashReader(sql, org);
    if (last.note !== '') await assertContinues(now, last.note, 'in the database', read);
    if (file !== undefined && file !== last.note)
      await assertContinues(now, file, `in ${this.files.folderOf(org)}`, read);
    if (last.size === now.size && file === last.note && keys.haveSigned(last.note)) return { ...now, note: last.note };
    const note = keys.sign(now);
    // The file first: a published checkpoint must be known even if the database is restored to a time before it.
    await this.files.store(org, note);
    await sql.last(storeCheckpoint, [org, now.size, note]);
    return { ...now, note };
  }
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
