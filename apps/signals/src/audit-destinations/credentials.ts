import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { encryptionKeysOf, seal, unseal, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, type SealedTable } from '@holdfast/service';

/** What a kind without given credentials has: the secrets that sign (Standard Webhooks). */
export interface SigningSecrets {
  secret: string;
  /** Signs as well until `until`, so that receivers can change. */
  previous?: { secret: string; until: string };
}

/** How long the earlier secret still signs after a rotation. */
export const overlapMs = 86_400_000;

/** 24 to 64 bytes, in base64 after `whsec_` (Standard Webhooks). */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

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
