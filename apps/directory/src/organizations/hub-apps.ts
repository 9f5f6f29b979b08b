import { Injectable } from '@nestjs/common';
import { currentApiVersion, hubClientId } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { Interval } from '@holdfast/service';

/** Nobody can change it, and auth derives its redirect URI, so the row has neither settings nor secrets. */
const insert = statement(
  'hub_app_insert',
  `INSERT INTO app (client_id, org, name, display_name, kind, audience, redirect_uris, refresh_tokens, api_version,
     built_in)
   VALUES ($1, $2, $1, 'Hub', 'web', 'people', '{}', false, $3, true) ON CONFLICT (client_id) DO NOTHING`,
);
const missing = statement(
  'hub_app_missing',
  `SELECT short_id AS "shortId" FROM organization o
   WHERE NOT EXISTS (SELECT 1 FROM app WHERE client_id = 'hub_' || o.short_id) LIMIT 1000`,
);

/** Inserts the hub of an organization, as an app like others: people sign in to it, and assignments may name it. */
export async function insertHubApp(sql: Sql, shortId: string): Promise<void> {
  await sql.rows(insert, [hubClientId(shortId), shortId, currentApiVersion]);
}

/** Organizations of before there were hubs, or that an earlier version created during its replacement, get theirs. */
@Injectable()
export class HubApps {
  constructor(private readonly database: Database) {}

  @Interval({
    name: 'hub_apps',
    intervalMs: 60_000,
    runAtStart: true,
    failure: 'Failed to create missing hubs. People of these organizations cannot sign in to the hub yet',
  })
  async createMissing(): Promise<void> {
    const rows = await this.database.rows<{ shortId: string }>(missing, []);
    for (const { shortId } of rows) await insertHubApp(this.database, shortId);
  }
}
