import type { QueryResultRow } from 'pg';
import { Database, type DatabaseOptions, type Sql, type Statement, type Transaction } from './database.js';

/**
 * A database that the service can start and work without. It connects at the first use, and after a failed attempt at
 * the next use.
 */
export class LazyDatabase implements Sql {
  private connecting: Promise<Database> | undefined;
  private isClosed = false;

  constructor(private readonly options: DatabaseOptions) {}

  async rows<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<Row[]> {
    return (await this.database()).rows<Row>(statement, values);
  }

  async transaction<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    return (await this.database()).transaction(work);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.connecting?.then((database) => database.close()).catch(() => undefined);
  }

  private database(): Promise<Database> {
    if (this.isClosed) throw new Error('the database was closed');
    return (this.connecting ??= Database.connect(this.options).catch((error: unknown) => {
      this.connecting = undefined;
      throw error;
    }));
  }
}
