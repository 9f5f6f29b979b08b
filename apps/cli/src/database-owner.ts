import pg from 'pg';
import { CommandError } from './command-error.js';

/**
 * Connects to the database as its owner for the time of `work`.
 *
 * @param task names it in an error message
 * @throws CommandError with the address, without its password
 */
export async function asOwner<T>(
  connectionString: string,
  task: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // PostgreSQL's messages do not repeat the statement, which may contain passwords.
    const { host, pathname } = new URL(connectionString);
    throw new CommandError(
      `${task} at ${host}${pathname} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
