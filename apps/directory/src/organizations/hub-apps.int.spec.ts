import { describe, expect, test } from '@jest/globals';
import { getClient, hubClientId } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { database, newApp, request, withDirectory } from '../directory.fixture.js';
import { HubApps } from './hub-apps.js';

withDirectory();

describe('the hub of an organization', () => {
  test('is an app for people without secrets and settings, created with the organization', async () => {
    const { app } = await newApp('web');
    const { app: hub, secrets } = await request(getClient, { clientId: hubClientId(app.org) }, 'auth');
    expect(hub).toMatchObject({ org: app.org, kind: 'web', audience: 'people', redirectUris: [], displayName: 'Hub' });
    expect([secrets, hub.refreshTokens, hub.scopes]).toEqual([[], false, []]);
  });

  test('is created for an organization that has none, by several replicas at once', async () => {
    const clientId = hubClientId('acme');
    await database.query('DELETE FROM directory.app WHERE client_id = $1', [clientId]);
    const db = await Database.connect({ url: database.url(), pool: 4, applicationName: 'test' });
    await Promise.all(Array.from({ length: 4 }, () => new HubApps(db).createMissing()));
    await db.close();
    expect((await request(getClient, { clientId }, 'auth')).app).toMatchObject({ org: 'acme', audience: 'people' });
  });
});
