import { Logger } from '@nestjs/common';
import { statement, type Database, type Statement } from '@holdfast/data';
import { seal, unseal, type Keys } from '@holdfast/platform';
import type { Pending } from './key-use.js';

const batchSize = 500;

/** A table with a column that seal() has made, and the context of each row, which its key columns determine. */
export interface SealedTable {
  name: string;
  column: string;
  /** The primary key in its order: each column with its PostgreSQL type. */
  key: Record<string, keyof typeof first>;
  /** Further columns that the context needs. */
  further?: string[];
  /** Condition of the rows that have content. */
  where?: string;
  contextOf: (row: never) => string;
}

interface Statements {
  table: SealedTable;
  /** A batch of rows after a key. Reads only, since nearly all rows have the current key. */
  batch: Statement;
  /** Locks some of them. SKIP LOCKED: it locks many rows and must never wait, or it could deadlock. */
  lock: Statement;
  write: Statement;
}

/** Sorts before every value of the type. */
const first = { text: '', uuid: '00000000-0000-0000-0000-000000000000', bytea: Buffer.alloc(0) };

type Row = Record<string, unknown> & { sealed: Buffer };

/**
 * Encrypts what was sealed with another key again with the current one. Rows of these tables do not say which key they
 * have: nothing reads or writes a column more while there is no rotation. During one, the whole table is read, in
 * batches and in the order of its primary key, until a pass finds no row of another key.
 */
export class SealedTables {
  private readonly logger = new Logger('re-encryption');
  private readonly statements: Statements[];
  private cleanSince?: Date;

  constructor(
    private readonly database: Database,
    private readonly keys: Keys,
    tables: SealedTable[],
  ) {
    this.statements = tables.map(statementsOf);
  }

  /** Counts rows that need another key after this pass; those that no key decrypts are logged, and not counted. */
  async reEncrypt(options: { leads: boolean; switchedAt: Date; stopping: () => boolean }): Promise<Pending> {
    // A pass that began after the last replica had changed and that found nothing cannot find anything later.
    if (this.cleanSince && this.cleanSince > options.switchedAt) return { count: 0 };
    const [clock] = await this.database.rows<{ now: Date }>(readClock);
    let count = 0;
    for (const table of this.statements) count += await this.pass(table, options);
    if (count === 0 && !options.stopping()) this.cleanSince = clock!.now;
    return { count };
  }

  private async pass(
    statements: Statements,
    { leads, stopping }: { leads: boolean; stopping: () => boolean },
  ): Promise<number> {
    const { table, batch } = statements;
    const names = Object.keys(table.key);
    let after: unknown[] = Object.values(table.key).map((type) => first[type]);
    let [found, unreadable] = [0, 0];
    while (!stopping()) {
      const rows = await this.database.rows<Row>(batch, after);
      const others = rows.filter((row) => !opens(this.keys[0], row, table));
      const readable = others.filter((row) => this.keys.slice(1).some((key) => opens(key, row, table)));
      unreadable += others.length - readable.length;
      found += readable.length;
      if (leads && readable.length > 0) await this.write(statements, readable);
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = names.map((name) => last[name]);
    }
    if (unreadable > 0)
      this.logger.error(
        `${unreadable} rows of ${table.name} decrypt with neither the current nor the previous KEY_ENCRYPTION_KEY: ` +
          'they were encrypted with another key, or changed. Start the service with that key as ' +
          'KEY_ENCRYPTION_KEY_PREVIOUS',
      );
    return found;
  }

  private async write({ table, lock, write }: Statements, rows: Row[]): Promise<void> {
    const columns = (of: Row[]) => Object.keys(table.key).map((name) => of.map((row) => row[name]));
    await this.database.transaction(async (sql) => {
      const locked = (await sql.rows<Row>(lock, columns(rows))).flatMap((row) => {
        try {
          const context = table.contextOf(row as never);
          return [{ ...row, sealed: seal(this.keys[0], unseal(this.keys, row.sealed, context), context) }];
        } catch {
          return [];
        }
      });
      if (locked.length > 0) await sql.last(write, [...columns(locked), locked.map(({ sealed }) => sealed)]);
    });
  }
}

const readClock = statement('sealed_clock', 'SELECT clock_timestamp() AS now');

function opens(key: Buffer, row: Row, table: SealedTable): boolean {
  try {
    unseal(key, row.sealed, table.contextOf(row as never));
    return true;
  } catch {
    return false;
  }
}

function statementsOf(table: SealedTable): Statements {
  const { name, column, where = 'true', further = [] } = table;
  const key = Object.entries(table.key);
  const names = key.map(([one]) => one).join(', ');
  const of = (alias: string) => key.map(([one]) => `${alias}.${one}`).join(', ');
  const arrays = key.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ');
  const same = `(${of('t')}) = (${of('r')})`;
  return {
    table,
    batch: statement(
      `sealed_${name}_batch`,
      `SELECT ${[names, ...further].join(', ')}, ${column} AS sealed FROM ${name} WHERE ${where}
         AND (${names}) > (${key.map(([, type], i) => `$${i + 1}::${type}`).join(', ')})
       ORDER BY ${names} LIMIT ${batchSize}`,
    ),
    lock: statement(
      `sealed_${name}_lock`,
      `SELECT ${[of('t'), ...further.map((one) => `t.${one}`)].join(', ')}, t.${column} AS sealed
       FROM unnest(${arrays}) AS r (${names})
       JOIN ${name} t ON ${same} FOR NO KEY UPDATE OF t SKIP LOCKED`,
    ),
    write: statement(
      `sealed_${name}_write`,
      `UPDATE ${name} t SET ${column} = r.sealed FROM unnest(${arrays}, $${key.length + 1}::bytea[])
         AS r (${names}, sealed) WHERE ${same}`,
    ),
  };
}
