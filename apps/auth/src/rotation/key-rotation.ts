import { Inject, Injectable } from '@nestjs/common';
import { pendingRecords } from '@holdfast/audit-client';
import { Database } from '@holdfast/data';
import { encryptionKeysOf, keysOf } from '@holdfast/platform';
import { CONFIG, expiring, KeyRotation, Readiness, reEncrypting, type SealedTable } from '@holdfast/service';
import { peppersOf, type Config } from '../config.js';
import { signingKeyContext } from '../keys/signing-keys.js';
import { notificationContext } from '../logout/logout-notifications.js';
import { payloadContext } from '../sessions/sealed-payload.js';

/** The longest lifetime of a cookie that COOKIE_KEY signs: that of a session. */
const cookieLifetimeMs = 14 * 60 * 60_000;

const signingKeys: SealedTable = {
  name: 'signing_key',
  column: 'private_jwk',
  key: { kid: 'text' },
  further: ['issuer'],
  contextOf: ({ issuer, kid }: { issuer: string; kid: string }) => signingKeyContext(issuer, kid),
};
const state: SealedTable = {
  name: 'oidc_state',
  column: 'payload',
  key: { org: 'text', model: 'text', id: 'bytea' },
  where: `payload <> ''`,
  contextOf: ({ org, model, id }: { org: string; model: string; id: Buffer }) => payloadContext(org, model, id),
};
const notifications: SealedTable = {
  name: 'logout_notification',
  column: 'payload',
  key: { id: 'uuid' },
  contextOf: ({ id }: { id: string }) => notificationContext(id),
};
/** Follows the rotations of the keys of auth, and encrypts what is stored with the current one. */
@Injectable()
export class AuthKeyRotation extends KeyRotation {
  constructor(database: Database, @Inject(CONFIG) config: Config, readiness: Readiness) {
    super(database, readiness, [
      {
        name: 'KEY_ENCRYPTION_KEY',
        keys: encryptionKeysOf(config),
        what: 'stored keys, sessions and tokens',
        ...reEncrypting([signingKeys, state, notifications, pendingRecords]),
      },
      {
        name: 'SECRET_PEPPER',
        keys: peppersOf(config),
        what: 'client secrets',
        // Directory stores the hashes, and counts them.
        check: () => Promise.resolve({ count: 0 }),
      },
      {
        name: 'COOKIE_KEY',
        keys: keysOf(config.COOKIE_KEY, config.COOKIE_KEY_PREVIOUS),
        what: 'kinds of cookies',
        check: expiring(cookieLifetimeMs),
      },
    ]);
  }
}
