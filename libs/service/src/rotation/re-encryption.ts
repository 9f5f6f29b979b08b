import { Logger } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { statement, type Database, type Transaction } from '@holdfast/data';
import { seal, unseal, type Keys } from '@holdfast/platform';
import type { KeyCheck, Pending, RotatedKey } from './key-use.js';
import {
  batchSize,
  sealedTableStatements,
  type SealedRow,
  type SealedTable,
  type SealedTableStatements,
} from './sealed-table.js';

const readClock = statement('sealed_clock', 'SELECT clock_timestamp() AS now');

/**
 * The check of a key that encrypts tables: encrypts again with the current key what another one has encrypted.
 *
 * @param gauge shows how many rows name another key
 */
export function reEncrypting(tables: SealedTable[], gauge?: Gauge): Pick<RotatedKey, 'check' | 'always'> {
  const named = tables.filter(({ keyId }) => keyId).map((table) => new TableReEncryption(table));
  const unnamed = tables.filter(({ keyId }) => !keyId).map((table) => new TableReEncryption(table));
  const checkUnnamed = untilNoneIsFound(unnamed);
  return {
    always: named.length > 0,
    check: async (scope) => {
      let count = 0;
      for (const table of named) count += await table.convertNamed(scope);
      gauge?.set(count);
      if (scope.keys.length > 1) count += await checkUnnamed(scope);
      return { count } satisfies Pending;
    },
  };
}

/**
 * Rows that do not name their key: nothing reads or writes a column more while there is no rotation. During one, the
 * whole tables are read until a pass that began after the last replica had changed finds no row of another key: later
 * ones cannot find any.
 */
function untilNoneIsFound(tables: TableReEncryption[]): (scope: KeyCheck) => Promise<number> {
  let cleanSince: Date | undefined;
  return async (scope) => {
    if (cleanSince && cleanSince > scope.switchedAt) return 0;
    const [clock] = await scope.database.rows<{ now: Date }>(readClock);
    let found = 0;
    for (const table of tables) found += (await table.pass(scope)).readable;
    if (found === 0 && !scope.stopping()) cleanSince = clock!.now;
    return found;
  };
}

/** Encrypts the rows of one table again, in batches. Erased rows stay erased: only existing rows are updated. */
class TableReEncryption {
  private readonly logger = new Logger('re-encryption');
  private readonly statements: SealedTableStatements;
  /** How many of the rows that name another key no configured key decrypts. */
  private undecryptable = 0;

  constructor(private readonly table: SealedTable) {
    this.statements = sealedTableStatements(table);
  }

  /** @returns how many rows still name another key */
  async convertNamed(scope: KeyCheck): Promise<number> {
    const before = await this.count(scope.database);
    if (!scope.leads || before === this.undecryptable) return before;
    const { readable, unreadable } = await this.pass(scope);
    const after = await this.count(scope.database);
    this.undecryptable = readable === 0 && !scope.stopping() ? unreadable : 0;
    if (after === 0 && readable > 0)
      this.logger.log(
        `${readable} rows of ${this.table.name} were encrypted again with the current ${scope.name}, and none is ` +
          'left with another key',
      );
    return after;
  }

  /** Encrypts readable rows of another key again, if this replica may. Those that no key decrypts are logged. */
  async pass({ database, name, keys, leads, stopping }: KeyCheck): Promise<{ readable: number; unreadable: number }> {
    const { batch, order } = this.statements;
    const { keyId } = this.table;
    let [readable, unreadable] = [0, 0];
    for (let after = order.start; !stopping();) {
      const rows = await database.rows<SealedRow>(batch, keyId ? [...after, keyId] : after);
      const others = keyId ? rows : rows.filter((row) => !this.opened([keys[0]], row));
      const found = others.filter((row) => this.opened(keys, row));
      readable += found.length;
      unreadable += others.length - found.length;
      if (leads && found.length > 0) await database.transaction((sql) => this.write(sql, keys, found));
      if (rows.length < batchSize) break;
      after = order.names.map((column) => rows.at(-1)![column]);
    }
    if (unreadable > 0)
      this.logger.error(
        `${unreadable} rows of ${this.table.name} decrypt with neither ${name} nor ${name}_PREVIOUS: they were ` +
          `encrypted with another key, or changed. Start the service with that key as ${name}_PREVIOUS`,
      );
    return { readable, unreadable };
  }

  private async write(sql: Transaction, keys: Keys, rows: SealedRow[]): Promise<void> {
    const { table, statements } = this;
    const columns = (of: SealedRow[]) => Object.keys(table.key).map((column) => of.map((row) => row[column]));
    const locked = await sql.rows<SealedRow>(statements.lock, columns(rows));
    const sealed = locked.flatMap((row) => {
      const plain = this.opened(keys, row);
      return plain ? [{ ...row, sealed: this.encoded(seal(keys[0], plain, table.contextOf(row as never))) }] : [];
    });
    if (sealed.length === 0) return;
    const values = [...columns(sealed), sealed.map((row) => row.sealed)];
    await sql.last(statements.write, table.keyId ? [...values, table.keyId] : values);
  }

  private async count(database: Database): Promise<number> {
    const [row] = await database.rows<{ count: number }>(this.statements.count!, [this.table.keyId]);
    return row!.count;
  }

  /** Undefined when none of the keys decrypts the row. */
  private opened(keys: Keys, row: SealedRow): Buffer | undefined {
    const { sealed } = row;
    const bytes = typeof sealed === 'string' ? Buffer.from(sealed, 'base64') : sealed;
    try {
      return unseal(keys, bytes, this.table.contextOf(row as never));
    } catch {
      return undefined;
    }
  }

  private encoded(sealed: Buffer): Buffer | string {
    return this.table.encoding ? sealed.toString(this.table.encoding) : sealed;
  }
}
