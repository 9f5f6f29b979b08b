import type { AppKind, Operation } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';

const insert = statement(
  'grant_insert',
  'INSERT INTO app_grant (client_id, kind, operation) SELECT $1, $2, unnest($3::text[]) ON CONFLICT (client_id, operation) DO NOTHING',
);

export async function insertGrants(sql: Sql, clientId: string, kind: AppKind, operations: Operation[]): Promise<void> {
  if (operations.length > 0) await sql.rows(insert, [clientId, kind, operations]);
}
