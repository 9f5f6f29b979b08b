import { Inject, Injectable } from '@nestjs/common';
import { Database, statement, type Transaction } from '@holdfast/data';
import { AppError, unavailable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { CompactRange, readCheckpoint, type Checkpoint } from '@holdfast/tlog';
import type { AuditConfig } from '../config.js';
import { BrokenLogs } from './broken-logs.js';
import { CheckpointFiles } from './checkpoint-files.js';
import { assertContinues, BrokenLog } from './continues.js';
import { originOf, SigningKeys } from './signing-keys.js';
import { hashReader, IncompleteTree } from './tree.js';

const first = statement(
  'checkpoint_first',
  "INSERT INTO checkpoint (org, size, note) SELECT org, 0, '' FROM head WHERE org = $1 ON CONFLICT DO NOTHING",
);
/** One signs at a time, all replicas together. */
const hold = statement('checkpoint_hold', 'SELECT size, note FROM checkpoint WHERE org = $1 FOR UPDATE');
const end = statement('checkpoint_end', 'SELECT seq AS size, range FROM head WHERE org = $1');
const signed = statement('checkpoint_signed', 'SELECT note FROM checkpoint WHERE org = $1');
const store = statement('checkpoint_store', 'UPDATE checkpoint SET size = $2, note = $3 WHERE org = $1');

export interface Signed extends Checkpoint {
  note: string;
}

/** Signs what the logs are, and nothing that does not continue what was signed before. */
@Injectable()
export class Checkpoints {
  private readonly keys = new Map<string, SigningKeys>();
  private readonly asked = new Map<string, Promise<Signed>>();
  private readonly signing = new Map<string, Promise<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly files: CheckpointFiles,
    private readonly broken: BrokenLogs,
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'AUDIT_SIGNING_KEYS' | 'BASE_URL'>,
  ) {}

  keysOf(org: string): SigningKeys {
    let keys = this.keys.get(org);
    if (!keys)
      this.keys.set(org, (keys = new SigningKeys(this.config.AUDIT_SIGNING_KEYS, originOf(this.config.BASE_URL, org))));
    return keys;
  }

  /**
   * Covers every record that had its place when it was asked for. Whoever asks while one is being signed shares the
   * next.
   * @throws unavailable when the log does not continue what was signed before
   */
  newest(org: string): Promise<Signed> {
    const waiting = this.asked.get(org);
    if (waiting) return waiting;
    const turn = (this.signing.get(org) ?? Promise.resolve()).then(() => {
      this.asked.delete(org);
      return this.sign(org);
    });
    const settled = turn
      .catch(() => undefined)
      .finally(() => this.signing.get(org) === settled && this.signing.delete(org));
    this.asked.set(org, turn);
    this.signing.set(org, settled);
    return turn;
  }

  /**
   * Newest, or of a broken log the largest that was signed before, without a note when none can be read: whoever
   * verifies the log then sees what is wrong with it, and where.
   */
  async toVerifyBy(org: string): Promise<Signed> {
    try {
      return await this.newest(org);
    } catch (error) {
      if (!this.broken.of(org)) throw error;
      const stored = await this.database.rows<{ note: string }>(signed, [org]);
      const before = [...stored.map(({ note }) => note), (await this.files.latest(org)) ?? '']
        .flatMap(readable)
        .toSorted((a, b) => b.size - a.size);
      return before[0] ?? { origin: this.keysOf(org).origin, size: 0, root: emptyRoot, note: '' };
    }
  }

  /**
   * Covers something behind `after`. Who reads on wants no newer one with each page: each that is signed is written to
   * the disk.
   */
  async toRead(org: string, after: number): Promise<Signed> {
    const [last] =
      after === 0
        ? []
        : (await this.database.rows<{ note: string }>(signed, [org])).flatMap(({ note }) => readable(note));
    return last && last.size > after ? last : this.toVerifyBy(org);
  }

  private async sign(org: string): Promise<Signed> {
    try {
      const signed = await this.database.transaction((sql) => this.signIn(sql, org));
      this.broken.signed(org);
      return signed;
    } catch (error) {
      if (!(error instanceof BrokenLog || error instanceof IncompleteTree)) throw error;
      this.broken.found(org, error.message);
      throw unavailable(`The audit log proves nothing at present: ${error.message}.`, 60);
    }
  }

  private async signIn(sql: Transaction, org: string): Promise<Signed> {
    let [last] = await sql.rows<{ size: number; note: string }>(hold, [org]);
    if (!last) {
      await sql.rows(first, [org]);
      [last] = await sql.rows<{ size: number; note: string }>(hold, [org]);
    }
    // After the row is held: what was signed by whoever held it before is known.
    const [log] = await sql.rows<{ size: number; range: Buffer }>(end, [org]);
    const kept = await this.files.latest(org);
    if (!log && (last ?? kept) !== undefined)
      throw new BrokenLog('the row that says where the log ends (audit.head) is gone');
    if (!log || !last) throw new AppError('unknown_organization');
    const keys = this.keysOf(org);
    const now = { origin: keys.origin, size: log.size, root: rootOf(log) };
    const read = hashReader(sql, org);
    if (last.note !== '') await assertContinues(now, last.note, 'in the database', read);
    if (kept !== undefined && kept !== last.note)
      await assertContinues(now, kept, `in ${this.files.folderOf(org)}`, read);
    if (last.size === now.size && kept === last.note && keys.haveSigned(last.note)) return { ...now, note: last.note };
    const note = keys.sign(now);
    // The file first: a checkpoint that was given out must be known even if the database is taken back to before it.
    await this.files.keep(org, note);
    await sql.last(store, [org, now.size, note]);
    return { ...now, note };
  }
}

const emptyRoot = CompactRange.empty().root();

function readable(note: string): Signed[] {
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
    throw new BrokenLog(`the end of the log was changed: ${size} entries do not belong to its tree`);
  }
}
