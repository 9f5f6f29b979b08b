import type pg from 'pg';

/** The names by which services are connected to this database, such as `holdfast audit`. */
export async function connectedServices(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'holdfast %' AND pid <> pg_backend_pid() ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}
