import { Inject, Injectable } from '@nestjs/common';
import { encryptionKeysOf, seal, unseal, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, type SealedTable } from '@holdfast/service';

const contextOf = ({ id }: { id: string }) => `ssf_stream ${id}`;

/** The `Authorization` that receivers of pushed tokens ask for, encrypted in its table. Nothing returns it. */
@Injectable()
export class Authorizations {
  constructor(@Inject(CONFIG) private readonly config: KeyEncryptionConfig) {}

  seal(id: string, value: string): Buffer {
    return seal(this.config.KEY_ENCRYPTION_KEY, value, contextOf({ id }));
  }

  /** @throws when it was encrypted with another key */
  open(id: string, sealed: Buffer): string {
    return unseal(encryptionKeysOf(this.config), sealed, contextOf({ id })).toString();
  }
}

/** Encrypted again during a rotation of KEY_ENCRYPTION_KEY. */
export const sealedAuthorizations: SealedTable = {
  name: 'ssf_stream',
  column: 'authorization_header',
  key: { id: 'uuid' },
  where: 'authorization_header IS NOT NULL',
  contextOf,
};
