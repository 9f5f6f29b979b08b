import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Secrets } from '../secrets/secrets.js';
import { endsAllTokens, type KeySettings } from './key-settings.js';
import { storeRemovedKeys } from './removed-keys.js';

/** What a change of the key settings of an app ends. */
@Injectable()
export class KeyChanges {
  constructor(private readonly secrets: Secrets) {}

  /**
   * In the transaction of the change. An app that authenticates with a key has no client secret.
   * @returns whether every token of the app from before must be refused
   */
  async store(manager: EntityManager, clientId: string, before: KeySettings, after: KeySettings): Promise<boolean> {
    await storeRemovedKeys(manager, clientId, before, after);
    if (after.tokenEndpointAuthMethod === 'private_key_jwt') await this.secrets.revokeAll(manager, clientId);
    return endsAllTokens(before, after);
  }
}
