import { describe, expect, test } from '@jest/globals';
import { missingSecrets } from '@holdfast/platform-policy';
import { useBlockers, waitBlockers, type KeyUseRow } from './rotation-blockers.js';
import { entryOf, finish, makeCurrent, start, stateOf, tidied, type SecretChanges } from './rotation.js';

const now = new Date('2026-11-22T12:00:00Z');
type Stored = Record<string, string>;
const applied = (secrets: Stored, changes: SecretChanges): Stored =>
  Object.fromEntries(
    Object.entries({ ...secrets, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
const initial = missingSecrets({});

describe('the rotation of a key', () => {
  const entry = entryOf('COOKIE_KEY');
  const old = initial.COOKIE_KEY!;

  test('accepts a new value, makes it the current one, and removes the old one', () => {
    const accepted = applied(initial, start(initial, entry, now));
    const added = accepted.COOKIE_KEY_PREVIOUS!;
    expect([accepted.COOKIE_KEY, added === old, stateOf(accepted, 'COOKIE_KEY')?.step]).toEqual([
      old,
      false,
      'accepted',
    ]);
    expect(() => finish(accepted, entry)).toThrow('secrets rotate switch COOKIE_KEY');
    const current = applied(applied(accepted, makeCurrent(accepted, entry, now)), tidied(entry));
    expect([current.COOKIE_KEY, current.COOKIE_KEY_PREVIOUS]).toEqual([added, old]);
    expect(applied(current, finish(current, entry))).toEqual({ ...initial, COOKIE_KEY: added });
  });

  test('has steps that change nothing when they are repeated', () => {
    const accepted = applied(initial, start(initial, entry, now));
    expect(start(accepted, entry, now)).toEqual({});
    const current = applied(accepted, makeCurrent(accepted, entry, now));
    expect([makeCurrent(current, entry, now), start(current, entry, now)]).toEqual([{}, {}]);
    expect(finish(initial, entry)).toEqual({});
  });

  test('loses no value when the second step is interrupted after any file', () => {
    const accepted = applied(initial, start(initial, entry, now));
    const changes = Object.entries(makeCurrent(accepted, entry, now));
    for (let written = 0; written <= changes.length; written += 1) {
      const interrupted = applied(accepted, Object.fromEntries(changes.slice(0, written)));
      const repeated = applied(interrupted, makeCurrent(interrupted, entry, now));
      expect([repeated.COOKIE_KEY, repeated.COOKIE_KEY_PREVIOUS]).toEqual([accepted.COOKIE_KEY_PREVIOUS, old]);
    }
  });

  test('has not begun: its second step says how it begins', () => {
    expect(() => makeCurrent(initial, entry, now)).toThrow('secrets rotate start COOKIE_KEY');
  });
});

test('a database password is current at once, and the earlier one is kept until the end', () => {
  const entry = entryOf('DB_PASSWORD_AUTH');
  const current = applied(initial, start(initial, entry, now));
  expect(current.DB_PASSWORD_AUTH).not.toBe(initial.DB_PASSWORD_AUTH);
  expect(current.DB_PASSWORD_AUTH_PREVIOUS).toBe(initial.DB_PASSWORD_AUTH);
});

test('a list of keys gets a new first one, and keeps only this one at the end', () => {
  const entry = entryOf('AUDIT_SIGNING_KEYS');
  const current = applied(initial, start(initial, entry, now));
  const [added, old] = current.AUDIT_SIGNING_KEYS!.split(',');
  expect(old).toBe(initial.AUDIT_SIGNING_KEYS);
  expect(applied(current, finish(current, entry)).AUDIT_SIGNING_KEYS).toBe(added);
});

test('an unknown secret, or one that services do not hold, is refused with those that can be rotated', () => {
  for (const name of ['UNKNOWN', 'POSTGRES_PASSWORD']) expect(() => entryOf(name)).toThrow('COOKIE_KEY');
});

describe('an old key is still needed', () => {
  const [current, other] = [Buffer.from('current'), Buffer.from('other')];
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const row = (id: Buffer, usedAt: Date, more: Partial<KeyUseRow> = {}): KeyUseRow => ({
    id,
    usedAt,
    pending: null,
    pendingUntil: null,
    checkedAt: null,
    ...more,
  });
  const clean = row(current, ago(2), { pending: 0, checkedAt: ago(2) });

  test.each<[string, KeyUseRow[], string | undefined]>([
    ['while no replica uses the new one', [row(other, ago(1))], 'No replica of auth uses'],
    ['while a replica uses another one', [clean, row(other, ago(5))], 'A replica of auth uses'],
    ['until a check after the last change', [{ ...clean, checkedAt: ago(25) }, row(other, ago(20))], 'not checked'],
    ['while something needs it', [{ ...clean, pending: 3 }, row(other, ago(60))], '3 stored values'],
    ['no more after a check that found nothing', [clean, row(other, ago(60))], undefined],
  ])('%s', (_, rows, reason) => {
    const found = useBlockers('auth', rows, current, now);
    if (reason === undefined) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringContaining(reason)]);
  });

  test('for a day after the change of the key of page tokens', () => {
    const entry = entryOf('PAGE_TOKEN_KEY');
    expect(waitBlockers(entry, { step: 'current', since: ago(86_000) }, now)).toHaveLength(1);
    expect(waitBlockers(entry, { step: 'current', since: ago(86_401) }, now)).toEqual([]);
  });
});
