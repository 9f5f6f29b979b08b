import { describe, expect, test } from '@jest/globals';
import { createSecret, listSecrets, revokeSecret } from '@holdfast/contracts';
import { database, entryOf, newApp, request, withDirectory } from '../../directory.fixture.js';

withDirectory();

describe('client secrets', () => {
  test('twenty concurrent creations: one succeeds, and the app has two valid secrets', async () => {
    const {
      app: { clientId },
    } = await newApp('web');
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => request(createSecret, { clientId })));
    expect(all.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(
      await database.query('SELECT 1 FROM directory.app_secret WHERE client_id = $1 AND revoked_at IS NULL', [
        clientId,
      ]),
    ).toHaveLength(2);
  });

  test('a third valid secret is refused by the table', async () => {
    const {
      app: { clientId },
    } = await newApp('web');
    await request(createSecret, { clientId });
    const third = database.query(
      `INSERT INTO directory.app_secret (id, client_id, hash, slot) VALUES ('sec_3', $1, '', 1)`,
      [clientId],
    );
    await expect(third).rejects.toMatchObject({ constraint: 'app_secret_slot' });
  });

  test('revoking a secret revokes its tokens only, and a new secret can be created', async () => {
    const {
      app: { clientId },
      secretId,
    } = await newApp('web');
    const second = await request(createSecret, { clientId });
    await request(revokeSecret, { clientId, secretId: secretId! });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 0, revokedSecrets: [secretId] });
    expect((await request(listSecrets, { clientId })).items.map((s) => s.id)).toEqual([second.secretId]);
    await expect(request(revokeSecret, { clientId, secretId: secretId! })).rejects.toMatchObject({
      code: 'unknown_secret',
    });
    await request(createSecret, { clientId });
  });
});
