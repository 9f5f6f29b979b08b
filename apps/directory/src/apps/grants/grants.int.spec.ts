import { describe, expect, test } from '@jest/globals';
import { disableApp, grantOperations, ungrantOperations } from '@holdfast/contracts';
import { database, entryOf, newApp, request, withDirectory } from '../../directory.fixture.js';

withDirectory();

describe('grants', () => {
  test.each([
    ['web', 'users:read'],
    ['web', 'roles:manage'],
    ['service', 'billing:manage'],
    ['service', 'no:such'],
  ] as const)('granting to a %s app: %s is refused, by the handler and by the table', async (kind, operation) => {
    await expect(newApp(kind, [operation])).rejects.toMatchObject({ code: 'not_grantable' });
    const { app } = await newApp(kind);
    await expect(request(grantOperations, { clientId: app.clientId, operations: [operation] })).rejects.toMatchObject({
      code: 'not_grantable',
    });
    const insert = `INSERT INTO directory.app_grant (client_id, kind, operation) VALUES ($1, $2, $3)`;
    await expect(database.query(insert, [app.clientId, kind, operation])).rejects.toMatchObject({
      constraint: 'app_grant_grantable',
    });
    // Nor does the table accept it under a kind that the app does not have.
    await expect(database.query(insert, [app.clientId, 'service', operation])).rejects.toThrow();
  });

  test('removing an operation or disabling the app revokes older tokens, granting and enabling do not', async () => {
    const {
      app: { clientId },
    } = await newApp('web', ['offers:write']);
    const grown = await request(grantOperations, { clientId, operations: ['issued:read', 'issued:read'] });
    expect(grown).toMatchObject({ version: 2, scopes: ['issued:read', 'offers:write'] });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 0, disabled: false });
    const shrunk = await request(ungrantOperations, { clientId, operations: ['offers:write'] });
    expect(shrunk).toMatchObject({ version: 3, scopes: ['issued:read'] });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 3 });
    await request(disableApp, { clientId, disabled: true });
    expect(await entryOf(clientId)).toMatchObject({ disabled: true, minVersion: 4 });
    expect((await request(disableApp, { clientId, disabled: false })).version).toBe(5);
    expect(await entryOf(clientId)).toMatchObject({ disabled: false, minVersion: 4 });
  });
});
