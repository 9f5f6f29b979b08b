import pg from 'pg';
import { CommandError } from './command-error.js';

/**
 * Works on the database as its owner. @throws CommandError with `what` it was about, and the address without its password
 */
export async function asOwner<T>(
  connectionString: string,
  what: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // PostgreSQL's own messages repeat no statement.
    const { host, pathname } = new URL(connectionString);
    throw new CommandError(
      `${what} at ${host}${pathname} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
