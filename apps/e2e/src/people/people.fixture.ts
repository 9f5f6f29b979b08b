import { randomUUID } from 'node:crypto';
import { query } from '../stack/database.ts';
import type { App, Stack } from '../stack/stack.ts';

const random = 'uuid_send(gen_random_uuid())';

/** People as rows: they have no passkey and nobody reads their data. */
export async function insertPeople(
  stack: Stack,
  org: string,
  count = 1,
  status: 'invited' | 'active' | 'deactivated' = 'active',
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await query(
    stack,
    `INSERT INTO directory.person (id, org, status, email_index, personal_data, personal_data_key, encryption_key_id,
       user_handle)
     SELECT id, $2, $3, ${random}, ${random}, ${random}, ${random}, ${random} || ${random}
     FROM unnest($1::uuid[]) AS p (id)`,
    [ids, org, status],
  );
  return ids;
}

/** An app to which people sign in. */
export async function newPeopleApp(stack: Stack, org: string, name: string): Promise<App> {
  const app = await stack.newApp(org, name, []);
  await query(stack, `UPDATE directory.app SET audience = 'people' WHERE client_id = $1`, [app.clientId]);
  return app;
}
