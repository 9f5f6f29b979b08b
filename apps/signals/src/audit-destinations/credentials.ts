import { Inject, Injectable } from '@nestjs/common';
import { encryptionKeysOf, seal, unseal, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, type SealedTable } from '@holdfast/service';

const contextOf = ({ id }: { id: string }) => `audit_destination ${id}`;

/** Credentials of destinations, encrypted in the table. Nothing returns them. */
@Injectable()
export class Credentials {
  constructor(@Inject(CONFIG) private readonly config: KeyEncryptionConfig) {}

  sealed(id: string, credentials: unknown): Buffer {
    return seal(this.config.KEY_ENCRYPTION_KEY, JSON.stringify(credentials), contextOf({ id }));
  }

  /** Undefined when there are none. @throws when they were encrypted with another key */
  unsealed(id: string, credentials: Buffer | null): unknown {
    if (!credentials) return undefined;
    return JSON.parse(unseal(encryptionKeysOf(this.config), credentials, contextOf({ id })).toString());
  }
}

/** Encrypted again during a rotation of KEY_ENCRYPTION_KEY. */
export const sealedCredentials: SealedTable = {
  name: 'audit_destination',
  column: 'credentials',
  key: { id: 'uuid' },
  where: 'credentials IS NOT NULL',
  contextOf,
};
