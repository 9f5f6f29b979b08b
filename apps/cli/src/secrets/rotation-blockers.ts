import pg from 'pg';
import { databaseRole, databaseServices } from '@holdfast/contracts';
import { databaseTls, keyIdOf } from '@holdfast/platform';
import type { SecretEntry } from '@holdfast/platform-policy';
import type { OwnerConnection } from '../config.js';
import type { RotationState } from './rotation.js';

/** A row of a service's table key_use (libs/service/src/key-use.ts). */
export interface KeyUseRow {
  id: Buffer;
  usedAt: Date;
  pending: number | null;
  pendingUntil: Date | null;
  checkedAt: Date | null;
}

/** A replica announces its key every five seconds. */
const silentMs = 10_000;
const day = 24 * 60 * 60_000;

/** What no service can tell: how long others keep what was made with the old value. */
const waits: Record<string, { ms: number; reason: string }> = {
  PAGE_TOKEN_KEY: { ms: day, reason: 'clients may continue lists with page tokens from before' },
  AUDIT_SIGNING_KEYS: { ms: 30 * day, reason: 'organizations need time to pin the new verifier key' },
};

/** Why the old value is still needed; empty when it is not. */
export function waitBlockers({ name }: SecretEntry, { since }: RotationState, now: Date): string[] {
  const wait = waits[name];
  const until = new Date(since.getTime() + (wait?.ms ?? 0));
  return wait && until > now ? [`Until ${until.toISOString()} ${wait.reason}`] : [];
}

/** What a service reports about the use of a key. Both times are PostgreSQL's. */
export function useBlockers(service: string, rows: KeyUseRow[], currentId: Buffer, now: Date): string[] {
  const current = rows.find(({ id }) => id.equals(currentId));
  const others = rows.filter((row) => row !== current);
  const isRecent = (at: Date) => now.getTime() - at.getTime() < silentMs;
  if (!current || now.getTime() - current.usedAt.getTime() > 60_000)
    return [`No replica of ${service} uses the new value: restart all of them with it`];
  if (others.some(({ usedAt }) => isRecent(usedAt)))
    return [`A replica of ${service} uses, or has just used, another value: restart it, and wait for ten seconds`];
  const changedAt = Math.max(...others.map(({ usedAt }) => usedAt.getTime()), 0) + silentMs;
  if (
    !current.checkedAt ||
    current.checkedAt.getTime() < changedAt ||
    now.getTime() - current.checkedAt.getTime() > 60_000
  )
    return [`${service} has not checked yet what needs the old value: wait some seconds`];
  if (!current.pending) return [];
  const until = current.pendingUntil ? `; the last expires at ${current.pendingUntil.toISOString()}` : '';
  return [`${current.pending} stored values of ${service} need the old one (/readyz says which)${until}`];
}

/** Asks the database, as its owner, whether services still need the old value. */
export async function databaseBlockers(
  owner: OwnerConnection,
  client: pg.Client,
  { name, variable, kind, services }: SecretEntry,
  value: string,
): Promise<string[]> {
  if (kind === 'password') return passwordBlockers(owner, services[0]!, value);
  if (kind !== 'key' || variable === undefined) return [];
  const reasons: string[] = [];
  for (const service of services.filter((one) => (databaseServices as readonly string[]).includes(one))) {
    const { rows } = await client.query<KeyUseRow & { now: Date }>(
      `SELECT id, used_at AS "usedAt", pending::int, pending_until AS "pendingUntil", checked_at AS "checkedAt",
         clock_timestamp() AS now FROM ${service}.key_use WHERE name = $1`,
      [variable],
    );
    const id = keyIdOf(Buffer.from(value, 'base64url'), variable);
    reasons.push(...useBlockers(service, rows, id, rows[0]?.now ?? new Date()));
  }
  return name === 'SECRET_PEPPER' && reasons.length > 0
    ? [...reasons, ...(await outdatedSecrets(client, Buffer.from(value, 'base64url')))]
    : reasons;
}

/** The client secrets that no app has used since the change: these block, until they are used or revoked. */
async function outdatedSecrets(client: pg.Client, pepper: Buffer): Promise<string[]> {
  const { rows } = await client.query<{ clientId: string; id: string }>(
    `SELECT s.client_id AS "clientId", s.id FROM directory.app_secret s JOIN directory.app a USING (client_id)
     WHERE s.revoked_at IS NULL AND a.deleted_at IS NULL AND s.pepper_id IS DISTINCT FROM $1
     ORDER BY s.client_id, s.id LIMIT 21`,
    [keyIdOf(pepper, 'SECRET_PEPPER')],
  );
  if (rows.length === 0) return [];
  const names = rows.slice(0, 20).map(({ clientId, id }) => `${id} of ${clientId}`);
  return [
    `Not used since the change: ${names.join(', ')}${rows.length > 20 ? ', and more' : ''}. Each is converted when ` +
      'its app uses it; replace or revoke the others (holdfast secret create, holdfast secret revoke)',
  ];
}

async function passwordBlockers(
  { url, caFile }: OwnerConnection,
  service: string,
  password: string,
): Promise<string[]> {
  const user = databaseRole(service as (typeof databaseServices)[number]);
  const address = Object.assign(new URL(url), { username: user, password });
  const client = new pg.Client({
    connectionString: address.href,
    ssl: databaseTls(caFile),
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return [];
  } catch (error) {
    return [
      `PostgreSQL refuses the new password of ${user}: run holdfast database setup with it ` +
        `(${error instanceof Error ? error.message : String(error)})`,
    ];
  } finally {
    await client.end().catch(() => undefined);
  }
}
