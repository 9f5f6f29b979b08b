import type { Socket } from 'node:net';
import './pg-types.js';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DataSource, type EntityManager, type EntitySchema, type MixedList } from 'typeorm';
import { databaseTls, databaseUrl, isTracing, type DatabaseTlsFiles } from '@holdfast/platform';
import { measured } from './measured.js';
import { throwDriverError } from './pg-errors.js';
import { nameStatement, traceQueryRunners } from './query-spans.js';
import { RotatingPassword } from './rotating-password.js';
import { Turns } from './turns.js';

/** A prepared statement: parsed and planned once per connection, under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** Names a statement. The name must be unique within the service. */
export function statement(name: string, text: string): Statement {
  nameStatement(text, name);
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

/** Files of TLS are read for each new connection. */
export interface DatabaseOptions extends DatabaseTlsFiles {
  /** Time limits in its query take precedence over the defaults: `statement_timeout` (ms), `connect_timeout` (s). */
  url: string;
  /**
   * File with the password, read for each new connection. It replaces the password in `url`. During a rotation
   * `<file>_PREVIOUS` has the earlier one, for new connections until PostgreSQL has the new one.
   */
  passwordFile?: string | undefined;
  /** Connections of this process. */
  pool: number;
  /** After this time without a result the connection counts as broken; the default relies on PostgreSQL's limits. */
  queryTimeoutMs?: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  entities?: MixedList<string | EntitySchema | (new () => object)>;
}

export interface PoolState {
  used: number;
  idle: number;
  waiting: number;
  max: number;
}

/** The service's database: prepared statements over TypeORM's connection pool. */
export class Database implements Sql {
  private constructor(
    readonly orm: DataSource,
    private readonly turns?: Turns,
  ) {}

  static async connect({
    url: address,
    passwordFile,
    pool,
    queryTimeoutMs,
    applicationName,
    entities = [],
    ...files
  }: DatabaseOptions): Promise<Database> {
    const url = databaseUrl(address, files);
    const ssl = databaseTls(files);
    const orm = new DataSource({
      type: 'postgres',
      url,
      entities: entities as never,
      synchronize: false,
      poolSize: pool,
      ssl,
      applicationName,
      connectTimeoutMS: connectTimeoutMs(url),
      // A hung statement must not block a request without end, and a hung process must not keep its locks. Pipelining
      // sends statements that are started together without waiting for results in between.
      extra: {
        statement_timeout: 10_000,
        idle_in_transaction_session_timeout: 3000,
        keepAlive: true,
        pipeline: true,
        query_timeout: queryTimeoutMs,
      },
      logging: false,
    });
    if (passwordFile === undefined) await orm.initialize();
    else {
      const passwords = new RotatingPassword(url, passwordFile);
      await passwords.retrying(() => {
        orm.setOptions({ url: passwords.url });
        return orm.initialize();
      });
      passwords.provideTo(poolOf(orm));
    }
    if (ssl) Object.defineProperty(poolOf(orm).options, 'ssl', { get: () => databaseTls(files), enumerable: true });
    // The pool replaces an idle connection that breaks. Without a listener its error would end the process.
    poolOf(orm).on('error', () => undefined);
    // Without this listener, a connection that breaks before the pool hands it out would end the process.
    poolOf(orm).on('connect', (client) => client.on('error', () => undefined));
    if (isTracing()) traceQueryRunners(orm);
    return new Database(orm);
  }

  /** The same database with at most `max` connections of the pool at once, so that the others stay free. */
  limitedTo(max: number): Database {
    return new Database(this.orm, new Turns(max));
  }

  async rows<Row extends QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    const query = () => poolOf(this.orm).query<Row>({ ...statement, values });
    const { turns } = this;
    return (await measured(statement.name, turns ? () => turns.run(query) : query)).rows;
  }

  /** READ COMMITTED. Rolls back when `work` throws. */
  async transaction<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.turns ? this.turns.run(() => this.transactionNow(work)) : this.transactionNow(work);
  }

  private async transactionNow<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    const client = await poolOf(this.orm).connect().catch(throwDriverError);
    let broken: Error | undefined;
    // Without this listener, a connection that breaks during the transaction would end the process.
    const onError = (error: Error) => (broken = error);
    client.on('error', onError);
    let committed: Promise<void> | undefined;
    const commit = () =>
      (committed ??= measured('COMMIT', () => client.query('COMMIT')).then(({ command }) => {
        // PostgreSQL responds so when a statement has failed before, even if its error was ignored.
        if (command === 'ROLLBACK')
          throw new Error('a statement of the transaction has failed, so nothing was committed');
      }));
    const rows = async <Row extends QueryResultRow>(s: Statement, values: unknown[] = []) =>
      (await measured(s.name, () => client.query<Row>({ ...s, values }))).rows;
    const last = async <Row extends QueryResultRow>(s: Statement, values?: unknown[]) => {
      const result = inOneWrite(client, () => {
        const sent = rows<Row>(s, values);
        // When the statement fails, the commit fails too: what rejects is the statement's error, which says why.
        commit().catch(() => undefined);
        return sent;
      });
      await result;
      await commit();
      return result;
    };
    try {
      // Not awaited yet, so that it is sent together with the first statement.
      let begun!: Promise<unknown>;
      const working = inOneWrite(client, () => {
        begun = client.query('BEGIN');
        begun.catch(() => undefined);
        return work({ rows, last });
      });
      const result = await working;
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

  /** Connections of the pool, and requests that wait for one. */
  get pool(): PoolState {
    // A closed data source has no pool. Throwing here would make the whole response of /metrics fail.
    if (!this.orm.isInitialized) return { used: 0, idle: 0, waiting: 0, max: 0 };
    const { totalCount, idleCount, waitingCount, options } = poolOf(this.orm);
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  async close(): Promise<void> {
    await this.orm.destroy();
  }
}

/**
 * Sends the statements begun in `start` in one write. Pipelining alone writes each of them by itself: a system call,
 * which wakes PostgreSQL for each.
 */
function inOneWrite<T>(client: PoolClient, start: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  try {
    return start();
  } finally {
    stream.uncork();
  }
}

const defaultConnectTimeoutMs = 3000;

/**
 * How long a statement waits for a connection of the pool, or for a new one: `connect_timeout` of the address, in
 * seconds as for libpq. pg reads the other limits from the address by itself.
 */
function connectTimeoutMs(url: string): number {
  const seconds = URL.parse(url)?.searchParams.get('connect_timeout');
  return seconds ? Number(seconds) * 1000 : defaultConnectTimeoutMs;
}

/** TypeORM's postgres driver keeps its pg Pool as `master`. */
function poolOf(orm: DataSource): Pool {
  return (orm.driver as unknown as { master: Pool }).master;
}
