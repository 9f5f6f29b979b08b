import { randomUUID } from 'node:crypto';
import { database } from '../directory.fixture.js';

/** Rows as sign-in and lists need them. The personal data is random: nobody decrypts it. */
const columns = `INSERT INTO directory.person
  (id, org, status, email_index, personal_data, personal_data_key, encryption_key_id, user_handle, created_at)`;
const random = 'uuid_send(gen_random_uuid())';
const personal = `${random}, ${random}, ${random}, ${random}, ${random} || ${random}`;

export type PersonStatus = 'invited' | 'active' | 'deactivated';

export async function insertPerson(status: PersonStatus = 'active', org = 'acme', at = new Date()): Promise<string> {
  const id = randomUUID();
  await database.query(`${columns} SELECT $1, $2, $3, ${personal}, $4`, [id, org, status, at]);
  return id;
}

export async function insertApp(
  { audience = 'people', disabled = false, org = 'acme' } = {},
  at = new Date(),
): Promise<string> {
  const id = `app_${randomUUID().replaceAll('-', '').slice(0, 22)}`;
  await database.query(
    `INSERT INTO directory.app (client_id, org, name, kind, audience, redirect_uris, api_version, disabled, created_at)
     VALUES ($1, $2, $1, 'web', $3, '{}', '2026-11-01', $4, $5)`,
    [id, org, audience, disabled, at],
  );
  return id;
}

/** A person of acme may use the app from now on. */
export async function insertAssignment(clientId: string, person: string): Promise<void> {
  await database.query(
    `INSERT INTO directory.assignment (id, org, client_id, person_id) VALUES (gen_random_uuid(), 'acme', $1, $2)`,
    [clientId, person],
  );
}
