import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { databaseTls, databaseUrl } from '@holdfast/platform';
import { CommandError } from './command-error.js';
import type { OwnerConnection } from './config.js';

/** How commands say as whom they connect. */
export const asDatabaseOwner = 'as the database owner in DATABASE_URL, or in DATABASE_URL_<SERVICE> for each database';

/**
 * Connects to the database as its owner for the time of `work`.
 *
 * @param task names it in an error message
 * @param queryTimeoutMs for each statement, which may take any time without it
 * @throws CommandError with the address, without its password
 */
export async function asOwner<T>(
  owner: Omit<OwnerConnection, 'services'>,
  task: string,
  work: (client: pg.Client) => Promise<T>,
  queryTimeoutMs?: number,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl(owner.url, owner),
    ssl: databaseTls(owner),
    connectionTimeoutMillis: 10_000,
    query_timeout: queryTimeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // PostgreSQL's messages do not repeat the statement, which may contain passwords.
    const { host, pathname } = new URL(owner.url);
    throw new CommandError(
      `${task} at ${host}${pathname} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

const retryMs = 2000;

/** Waits until the server accepts the owner; a wrong password or address is reported by the next connection. */
export async function untilConnected(owner: OwnerConnection, waitSeconds: number): Promise<void> {
  const until = performance.now() + waitSeconds * 1000;
  for (;;) {
    try {
      return await asOwner(owner, 'Connecting', async () => undefined);
    } catch {
      if (performance.now() > until) return;
      await sleep(retryMs);
    }
  }
}
