import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';

export interface Key {
  name: string;
  id: string;
}

/** A replica says at least this often that it uses a key. */
const usedWithinHours = 24;

/** The newest of each key of a service, by which its rows are encrypted. */
export function currentKeys(client: pg.ClientBase, service: ServiceName): Promise<Key[]> {
  return keysOf(client, service, 'SELECT DISTINCT ON (name) name, id FROM key_use ORDER BY name, since DESC');
}

/** The keys that replicas of a service have: those that one of them used as late as the newest, or nearly. */
export function knownKeys(client: pg.ClientBase, service: ServiceName): Promise<Key[]> {
  return keysOf(
    client,
    service,
    `SELECT name, id FROM key_use k
     WHERE used_at > (SELECT max(used_at) FROM key_use n WHERE n.name = k.name) - interval '${usedWithinHours} hours'`,
  );
}

async function keysOf(client: pg.ClientBase, service: ServiceName, sql: string): Promise<Key[]> {
  const { rows: found } = await client.query('SELECT WHERE to_regclass($1) IS NOT NULL', [`${service}.key_use`]);
  if (found.length === 0) return [];
  const inSchema = sql.replaceAll('key_use', `${service}.key_use`);
  const { rows } = await client.query<Key>(`SELECT name, encode(id, 'hex') AS id FROM (${inSchema}) k`);
  return rows;
}
