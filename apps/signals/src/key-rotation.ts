import { Inject, Injectable } from '@nestjs/common';
import { pendingRecords } from '@holdfast/audit-client';
import { Database } from '@holdfast/data';
import { storedResponses } from '@holdfast/outbox';
import { encryptionKeysOf } from '@holdfast/platform';
import { CONFIG, KeyRotation, Readiness, reEncrypting } from '@holdfast/service';
import { sealedCredentials } from './audit-destinations/credentials.js';
import type { SignalsConfig } from './config.js';
import { sealedAuthorizations } from './ssf/authorizations.js';
import { sealedWebhookSecrets } from './webhooks/secrets.js';

/** Follows the rotations of the key of signals, and encrypts what is stored with the current one. */
@Injectable()
export class SignalsKeyRotation extends KeyRotation {
  constructor(database: Database, @Inject(CONFIG) config: SignalsConfig, readiness: Readiness) {
    super(database, readiness, [
      {
        name: 'KEY_ENCRYPTION_KEY',
        keys: encryptionKeysOf(config),
        what: 'credentials of audit destinations, secrets and headers of webhooks and streams, and stored responses',
        ...reEncrypting([
          sealedCredentials,
          ...sealedWebhookSecrets,
          sealedAuthorizations,
          storedResponses,
          pendingRecords,
        ]),
      },
    ]);
  }
}
