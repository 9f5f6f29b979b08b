import './pg-types.js';
import { readFileSync } from 'node:fs';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource, type EntityManager, type EntitySchema, type MixedList } from 'typeorm';
import { throwDriverError } from './pg-errors.js';

/** A prepared statement: parsed and planned once per connection, under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** Names a statement. The name must be unique within the service. */
export function statement(name: string, text: string): Statement {
  return { name, text };
}

/** Runs statements: the pool, each in a transaction of its own, or one open transaction. */
export interface Sql {
  rows<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/**
 * An open transaction. Statements that are started together are sent in one round trip and run in that order.
 */
export interface Transaction extends Sql {
  /** Runs the last statement and the commit in one round trip. If the statement fails, nothing is committed. */
  last<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/**
 * Runs statements in the transaction of an entity manager (`dataSource.transaction(async (manager) => …)`), so that
 * statements, such as those of the outbox, commit together with entities. They are not prepared; hot paths use
 * `Database`.
 */
export function sqlOf(manager: EntityManager): Sql {
  return {
    rows: async <Row extends QueryResultRow>({ text }: Statement, values: unknown[] = []) => {
      if (!manager.queryRunner) throw new Error('the entity manager is not in a transaction');
      const result = await manager.queryRunner.query(text, values, true);
      return result.records as Row[];
    },
  };
}

export interface DatabaseOptions {
  url: string;
  /** File with the password, read for each new connection. It replaces the password in `url`. */
  passwordFile?: string | undefined;
  /** Connections of this process. */
  pool: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  entities?: MixedList<string | EntitySchema | (new () => object)>;
}

/** The service's database: prepared statements over TypeORM's connection pool. */
export class Database implements Sql {
  private constructor(readonly orm: DataSource) {}

  static async connect({
    url,
    passwordFile,
    pool,
    applicationName,
    entities = [],
  }: DatabaseOptions): Promise<Database> {
    const orm = new DataSource({
      type: 'postgres',
      url: currentUrl(url, passwordFile),
      entities: entities as never,
      synchronize: false,
      poolSize: pool,
      applicationName,
      connectTimeoutMS: 3000,
      // A hung statement must not block a request without end, and a hung process must not keep its locks. Pipelining
      // sends statements that are started together without waiting for results in between.
      extra: { statement_timeout: 10_000, idle_in_transaction_session_timeout: 3000, keepAlive: true, pipeline: true },
      logging: false,
    });
    await orm.initialize();
    if (passwordFile !== undefined) {
      // The pool reads this property for each new connection.
      Object.defineProperty(poolOf(orm).options, 'connectionString', {
        get: () => currentUrl(url, passwordFile),
        enumerable: true,
      });
    }
    // The pool replaces an idle connection that breaks. Without a listener its error would end the process.
    poolOf(orm).on('error', () => undefined);
    // Without this listener, a connection that breaks before the pool hands it out would end the process.
    poolOf(orm).on('connect', (client) => client.on('error', () => undefined));
    return new Database(orm);
  }

  async rows<Row extends QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return (
      await poolOf(this.orm)
        .query<Row>({ ...statement, values })
        .catch(throwDriverError)
    ).rows;
  }

  /** READ COMMITTED. Rolls back when `work` throws. */
  async transaction<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    const client = await poolOf(this.orm).connect().catch(throwDriverError);
    let broken: Error | undefined;
    // Without this listener, a connection that breaks during the transaction would end the process.
    const onError = (error: Error) => (broken = error);
    client.on('error', onError);
    let committed: Promise<void> | undefined;
    const commit = () =>
      (committed ??= client.query('COMMIT').then(({ command }) => {
        // PostgreSQL responds so when a statement has failed before, even if its error was ignored.
        if (command === 'ROLLBACK')
          throw new Error('a statement of the transaction has failed, so nothing was committed');
      }, throwDriverError));
    const rows = async <Row extends QueryResultRow>(s: Statement, values: unknown[] = []) =>
      (await client.query<Row>({ ...s, values }).catch(throwDriverError)).rows;
    const last = async <Row extends QueryResultRow>(s: Statement, values?: unknown[]) => {
      const result = rows<Row>(s, values);
      // When the statement fails, the commit fails too: what rejects is the statement's error, which says why.
      commit().catch(() => undefined);
      await result;
      await commit();
      return result;
    };
    try {
      // Not awaited yet, so that it is sent together with the first statement.
      const begun = client.query('BEGIN');
      begun.catch(() => undefined);
      const result = await work({ rows, last });
      await begun.catch(throwDriverError);
      await commit();
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((e: Error) => (broken ??= e));
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.orm.destroy();
  }
}

/**
 * The URL with the current password. While the file is being replaced it may be unreadable: the URL's own password is
 * used, PostgreSQL rejects it, and the next attempt reads the file again.
 */
function currentUrl(url: string, passwordFile: string | undefined): string {
  if (passwordFile === undefined) return url;
  try {
    const address = new URL(url);
    address.password = encodeURIComponent(readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, ''));
    return address.href;
  } catch {
    return url;
  }
}

/** TypeORM's postgres driver keeps its pg Pool as `master`. */
function poolOf(orm: DataSource): Pool {
  return (orm.driver as unknown as { master: Pool }).master;
}
