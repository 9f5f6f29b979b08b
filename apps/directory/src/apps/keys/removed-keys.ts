import { In, LessThan, type EntityManager } from 'typeorm';
import { keyIds, removedKeys, type KeySettings } from './key-settings.js';
import { RemovedKeyEntity } from './removed-key.entity.js';

/** Longer than the revocation feed reports a removed key. */
const keptMs = 60 * 60_000;

/** Stores in the transaction of a change which keys an app has lost by it. */
export async function storeRemovedKeys(
  manager: EntityManager,
  clientId: string,
  before: KeySettings,
  after: KeySettings,
): Promise<void> {
  const [{ now }] = await manager.query<[{ now: Date }]>('SELECT clock_timestamp() AS now');
  await manager.delete(RemovedKeyEntity, { clientId, removedAt: LessThan(new Date(now.getTime() - keptMs)) });
  const present = keyIds(after.jwks);
  // A key that was removed by mistake works again at once.
  if (present.length > 0) await manager.delete(RemovedKeyEntity, { clientId, id: In(present) });
  for (const id of removedKeys(before, after))
    // PostgreSQL's clock, because the revocation feed compares the column with it.
    await manager.upsert(RemovedKeyEntity, { clientId, id, removedAt: () => 'clock_timestamp()' }, ['clientId', 'id']);
}
