import type pg from 'pg';
import { databaseRole, databaseServices, type ServiceName } from '@holdfast/contracts';
import { keyIdOf } from '@holdfast/platform';
import { databaseUsers, type SecretEntry } from '@holdfast/platform-policy';
import { ownerConnectionOf, ownerConnections } from '../config.js';
import { asOwner } from '../database-owner.js';
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

/** Asks the databases, as their owners, whether services still need the old value. */
export async function databaseBlockers(
  { name, variable, kind, services }: SecretEntry,
  value: string,
): Promise<string[]> {
  const own = databaseServices.filter((service) => (services as readonly string[]).includes(service));
  if (kind === 'password') return (await Promise.all(own.map((one) => passwordBlockers(one, value)))).flat();
  if (kind !== 'key' || variable === undefined) return [];
  const reasons: string[] = [];
  for (const service of own)
    reasons.push(
      ...(await asked(service, async (client) => {
        const { rows } = await client.query<KeyUseRow & { now: Date }>(
          `SELECT id, used_at AS "usedAt", pending::int, pending_until AS "pendingUntil", checked_at AS "checkedAt",
             clock_timestamp() AS now FROM ${service}.key_use WHERE name = $1`,
          [variable],
        );
        const id = keyIdOf(Buffer.from(value, 'base64url'), variable);
        return useBlockers(service, rows, id, rows[0]?.now ?? new Date());
      })),
    );
  return name === 'SECRET_PEPPER' && reasons.length > 0
    ? [...reasons, ...(await asked('directory', (client) => outdatedSecrets(client, Buffer.from(value, 'base64url'))))]
    : reasons;
}

function asked<T>(service: ServiceName, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return asOwner(ownerConnectionOf(service), `Asking what ${service} needs the old values for`, work);
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

/** Tries the new password in each database that the service uses. */
async function passwordBlockers(service: ServiceName, password: string): Promise<string[]> {
  const used = ownerConnections().filter(({ services }) => databaseUsers(services).includes(service));
  const user = databaseRole(service);
  const refusals = used.map(async (owner): Promise<string[]> => {
    const address = Object.assign(new URL(owner.url), { username: user, password });
    try {
      await asOwner({ ...owner, url: address.href }, 'Signing in', async () => undefined);
      return [];
    } catch (error) {
      return [
        `PostgreSQL refuses the new password of ${user}: run holdfast database setup with it ` +
          `(${error instanceof Error ? error.message : String(error)})`,
      ];
    }
  });
  return (await Promise.all(refusals)).flat();
}
