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
 * An open transaction. Statements that are begun together are sent together, and run one after the other in that order:
 * one trip to the server in place of one each.
 */
export interface Transaction extends Sql {
  /** The last statement, with the commit in the same trip. When it fails, nothing is committed. */
  last<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/**
 * Runs statements in the transaction of an entity manager (`dataSource.transaction(async (manager) => …)`), so that
 * what exists as statements, such as the outbox, commits together with entities. They are parsed anew each time: hot
 * paths use `Database`.
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
  /** Its content takes the place of the password in `url`, anew for each connection. */
  passwordFile?: string | undefined;
  /** Connections of this process. */
  pool: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  entities?: MixedList<string | EntitySchema | (new () => object)>;
}

/**
 * The service's database: prepared statements, straight to SQL, over TypeORM's pool. TypeORM runs the migrations.
 */
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
      url: addressNow(url, passwordFile),
      entities: entities as never,
      synchronize: false,
      poolSize: pool,
      applicationName,
      connectTimeoutMS: 3000,
      // A statement that hangs must not hold a request for ever, and a process that hangs must not hold its locks.
      // Pipelining sends what is begun together without waiting for answers in between.
      extra: { statement_timeout: 10_000, idle_in_transaction_session_timeout: 3000, keepAlive: true, pipeline: true },
      logging: false,
    });
    await orm.initialize();
    if (passwordFile !== undefined) {
      // The pool looks here for each connection that it makes.
      Object.defineProperty(poolOf(orm).options, 'connectionString', {
        get: () => addressNow(url, passwordFile),
        enumerable: true,
      });
    }
    // An idle connection that breaks (server restarted) is replaced by the pool; without a listener it ends the
    // process.
    poolOf(orm).on('error', () => undefined);
    // One that breaks in the moment between being made and being handed out has nobody else who listens.
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
    // A server that goes away mid-transaction emits an error that nobody else listens to.
    const onError = (error: Error) => (broken = error);
    client.on('error', onError);
    let committed: Promise<void> | undefined;
    const commit = () =>
      (committed ??= client.query('COMMIT').then(({ command }) => {
        // What PostgreSQL answers when a statement has failed before, though nobody may have minded.
        if (command === 'ROLLBACK')
          throw new Error('a statement of the transaction has failed, so nothing was committed');
      }, throwDriverError));
    const rows = async <Row extends QueryResultRow>(s: Statement, values: unknown[] = []) =>
      (await client.query<Row>({ ...s, values }).catch(throwDriverError)).rows;
    const last = async <Row extends QueryResultRow>(s: Statement, values?: unknown[]) => {
      const [result] = await Promise.all([rows<Row>(s, values), commit()]);
      return result;
    };
    try {
      // Not awaited yet: it goes out with the first statement.
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
 * The address with the password that holds now. A file that cannot be read, being replaced, leaves the one of the URL:
 * PostgreSQL refuses it, and the next try reads again.
 */
function addressNow(url: string, passwordFile: string | undefined): string {
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
