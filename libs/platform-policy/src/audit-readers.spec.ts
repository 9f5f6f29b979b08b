import { expect, it } from '@jest/globals';
import { natsUsers, type BusUser } from '@holdfast/contracts';
import { layoutOf, natsUsersConfig } from './nats-config.js';
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

const publicKeys = Object.fromEntries(natsUsers.map((user) => [user, key])) as Record<BusUser, string>;
interface Account {
  users?: unknown[];
  imports?: unknown[];
}
const accountsOf = (readers: Record<string, string>) =>
  natsUsersConfig(publicKeys, readers).accounts as Record<string, Account>;

it('a reader is in an account of its own, which imports its own consumer and nothing else', () => {
  const { HOLDFAST, READER_1: account, ...others } = accountsOf({ [one]: key });
  expect(HOLDFAST!.users).toHaveLength(natsUsers.length);
  const service = (subject: string) => ({ account: 'HOLDFAST', subject });
  expect(account).toEqual({
    users: [
      {
        nkey: key,
        permissions: {
          publish: {
            allow: [
              `$JS.audit.API.CONSUMER.INFO.AUDIT.${one}`,
              `$JS.audit.API.CONSUMER.MSG.NEXT.AUDIT.${one}`,
              `$JS.ACK.AUDIT.${one}.>`,
            ],
          },
          subscribe: { allow: [`_INBOX_${one}.>`] },
        },
      },
    ],
    imports: [
      {
        service: service(`$JS.API.CONSUMER.INFO.AUDIT.${one}`),
        to: `$JS.audit.API.CONSUMER.INFO.AUDIT.${one}`,
      },
      {
        service: service(`$JS.API.CONSUMER.MSG.NEXT.AUDIT.${one}`),
        to: `$JS.audit.API.CONSUMER.MSG.NEXT.AUDIT.${one}`,
      },
      { service: service(`$JS.ACK.AUDIT.${one}.>`) },
    ],
  });
  // Accounts of the readers that are added by the next reload.
  expect(Object.values(others)).toEqual(Array(16).fill({}));
});

it('the account of an added reader exists before it is added, and readers before it keep theirs', () => {
  const [before, after] = [accountsOf({ [one]: key }), accountsOf({ [one]: key, [other]: key })];
  expect(before.READER_2).toEqual({});
  expect(after.READER_2!.users).toHaveLength(1);
  expect(after.READER_1).toEqual(before.READER_1);
});

it('in the layout of earlier versions all users are in the global account', () => {
  const config = natsUsersConfig(publicKeys, { [one]: key }, 'single');
  expect(config.accounts).toBeUndefined();
  expect((config.authorization as { users: unknown[] }).users).toHaveLength(natsUsers.length + 1);
  expect(layoutOf(JSON.stringify(config))).toBe('single');
  expect(layoutOf(JSON.stringify(natsUsersConfig(publicKeys)))).toBe('accounts');
});
