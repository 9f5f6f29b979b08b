import { readFileSync } from 'node:fs';
import type { Pool, PoolClient } from 'pg';

/** One with each password, and one more when another connection has changed the password meanwhile. */
const maxTries = 3;

type Connect = () => Promise<PoolClient>;
type Callback = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/**
 * A password in a file, which may be rotated at any time. PostgreSQL has one password for each role, so there is a
 * moment at which file and PostgreSQL differ: then a new connection uses the password that `<file>_PREVIOUS` has, if it
 * exists. So the file is changed first, and PostgreSQL afterwards.
 */
export class RotatingPassword {
  private usesPrevious = false;
  /** The URL that the newest connection uses. */
  private newest?: string;

  constructor(
    private readonly address: string,
    private readonly file: string,
    private readonly read: (file: string) => string = (name) => readFileSync(name, 'utf8'),
  ) {}

  /** The URL for a new connection. */
  get url(): string {
    return (this.newest = this.current());
  }

  /**
   * The URL with the current password. While the file is being replaced it may be unreadable: the URL's own password is
   * used, PostgreSQL rejects it, and the next attempt reads the file again.
   */
  private current(): string {
    return (this.usesPrevious ? this.with(`${this.file}_PREVIOUS`) : undefined) ?? this.with(this.file) ?? this.address;
  }

  /**
   * When PostgreSQL refuses one password, the other one is tried, and used from now on. Connections that are refused at
   * the same time change it once, not back and forth. The file is not read unless a connection is opened or refused:
   * most statements use an open one.
   */
  async retrying<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      // A connection that is opened at once reads the URL before work() returns.
      const attempt = work();
      const tried = this.newest;
      try {
        return await attempt;
      } catch (error) {
        // 28P01: invalid_password. Other methods of authentication than SCRAM and MD5 say 28000.
        const isRefused = ['28P01', '28000'].includes((error as { code?: string }).code ?? '');
        if (!isRefused || tries === maxTries) throw error;
        if (this.current() === tried) this.usesPrevious = !this.usesPrevious;
        if (this.current() === tried) throw error;
      }
    }
  }

  /** The pool reads the address for each new connection. */
  provideTo(pool: Pool): void {
    Object.defineProperty(pool.options, 'connectionString', { get: () => this.url, enumerable: true });
    const connect = pool.connect.bind(pool) as Connect;
    const retrying = () => this.retrying(connect);
    // pool.query() calls it with a callback.
    (pool as { connect: unknown }).connect = (callback?: Callback) => {
      if (!callback) return retrying();
      retrying().then(
        (client) => callback(undefined, client, () => client.release()),
        (error: unknown) => callback(error as Error, undefined, () => undefined),
      );
      return undefined;
    };
  }

  private with(file: string): string | undefined {
    try {
      const address = new URL(this.address);
      address.password = encodeURIComponent(this.read(file).replace(/\r?\n$/, ''));
      return address.href;
    } catch {
      return undefined;
    }
  }
}
