import { expect, it } from '@jest/globals';
import { natsUsers, type BusUser } from '@holdfast/contracts';
import { natsUsersConfig } from './nats-config.js';
import { auditReaders, withAuditReader } from './secrets.js';

const [one, other] = ['reader-0123456789abcdef', 'reader-fedcba9876543210'] as const;
const key = `U${'A'.repeat(55)}`;

it('readers are added to the store of the secrets and removed from it, one by one', () => {
  const first = withAuditReader({ COOKIE_KEY: 'x' }, one, key) as Record<string, string>;
  const both = withAuditReader(first, other, key) as Record<string, string>;
  expect(auditReaders(both)).toEqual({ [one]: key, [other]: key });
  expect(withAuditReader(both, one, undefined)).toEqual({ AUDIT_READERS: `${other}=${key}` });
  expect(withAuditReader(first, one, undefined)).toEqual({ AUDIT_READERS: undefined });
  expect(auditReaders({})).toEqual({});
});

it.each(['gateway=x', `${one}=not-a-key`, `reader-*=${key}`, `reader-0123456789abcdef.>=${key}`, one])(
  'an entry that is no reader is refused: %s',
  (entry) => expect(() => auditReaders({ AUDIT_READERS: entry })).toThrow(),
);

it('a reader is a user who may pull from its own consumer, acknowledge, and nothing else', () => {
  const publicKeys = Object.fromEntries(natsUsers.map((user) => [user, key])) as Record<BusUser, string>;
  const { authorization } = natsUsersConfig(publicKeys, { [one]: key });
  expect((authorization as { users: unknown[] }).users.slice(natsUsers.length)).toEqual([
    {
      nkey: key,
      permissions: {
        publish: {
          allow: [
            `$JS.API.CONSUMER.INFO.AUDIT.${one}`,
            `$JS.API.CONSUMER.MSG.NEXT.AUDIT.${one}`,
            `$JS.ACK.AUDIT.${one}.>`,
          ],
        },
        subscribe: { allow: [`_INBOX_${one}.>`] },
      },
    },
  ]);
});
