import { expect, test } from '@jest/globals';
import { Failed } from '../browser/failure.ts';
import { accountScreen } from './account-screen.ts';
import { accountStep, type AccountEvent, type AccountState, type AccountView } from './account-state.ts';

const organization = { name: 'Acme', helpUrl: 'https://acme.example/help' };
const passkey = (id: string) => ({ id, name: `Key ${id}`, synced: false, createdAt: '2026-11-21T09:00:00.000Z' });
const view: AccountView = {
  organization,
  current: 'a',
  credentials: [],
  passkeys: [passkey('a'), passkey('b')],
  mayAddPasskey: true,
  sessions: [],
};
const account: AccountState = { name: 'account', view };
const stateAfter = (state: AccountState, ...events: AccountEvent[]) =>
  events.reduce((before, event) => accountStep(before, event)[0], state);

test('every state has its own heading', () => {
  const states: AccountState[] = [
    { name: 'loading' },
    { name: 'unknown' },
    { name: 'unsupported', organization },
    { name: 'insecure', organization },
    { name: 'signedOut', organization, why: 'ended' },
    { name: 'signedOut', organization, why: 'left' },
    { name: 'preparing', organization },
    { name: 'working', organization },
    { name: 'verifying', organization },
    { name: 'refused', organization, reason: 'unknown_passkey' },
    { name: 'refused', organization, reason: 'other_organization' },
    { name: 'refused', organization, reason: 'counter_went_back' },
    { name: 'refused', organization, reason: 'no_live_credential' },
    { name: 'stopped', organization, why: 'cancelled' },
    { name: 'stopped', organization, why: 'unavailable' },
    account,
    { name: 'adding', step: 'saving', view },
    { name: 'renaming', view, passkey: 'a' },
    { name: 'linking', view, address: 'https://id.example/' },
    { name: 'linking', view, address: 'https://id.example/', made: { code: '7F3K' } },
    { name: 'removing', view, passkey: 'a' },
    { name: 'removing', view, passkey: 'b' },
  ];
  const headings = states.map((state) => accountScreen(state, true).heading);
  expect(new Set(headings).size).toBe(headings.length);
});

test('the last passkey has no button that removes it, and at the limit none can be added', () => {
  const only = accountScreen(
    { name: 'account', view: { ...view, passkeys: [passkey('a')], mayAddPasskey: false } },
    true,
  );
  const [, passkeys] = only.lists!;
  expect(passkeys!.items[0]!.controls!.map(({ label }) => label)).toEqual(['Rename']);
  expect(passkeys!.controls).toBeUndefined();
  const [, two] = accountScreen(account, true).lists!;
  expect(two!.items[1]!.controls!.map(({ label }) => label)).toEqual(['Rename', 'Remove']);
  expect(two!.controls).toEqual([
    { label: 'Add a passkey on this device', action: 'add' },
    { label: 'Add a passkey on another device', action: 'addElsewhere' },
  ]);
});

test('the removal of the passkey that signed in says that the page signs out too', () => {
  const bodyOf = (id: string) => accountScreen(stateAfter(account, { type: 'remove', id }), true).body.join(' ');
  expect(bodyOf('a')).toContain('this page signs you out too');
  expect(bodyOf('b')).not.toContain('this page signs you out too');
});

test('a second click, and what comes late, changes nothing', () => {
  const busy = stateAfter(account, { type: 'end', id: 's' });
  for (const event of [{ type: 'endAll' }, { type: 'confirm' }, { type: 'add' }, { type: 'stop' }] as AccountEvent[])
    expect(accountStep(busy, event)).toEqual([busy]);
  expect(accountStep({ name: 'loading' }, { type: 'read', view })).toEqual([{ name: 'loading' }]);
  const saving: AccountState = { name: 'adding', step: 'saving', view };
  expect(accountStep(saving, { type: 'stop' })).toEqual([saving]);
});

test('an empty name renames nothing', () => {
  const renaming = stateAfter(account, { type: 'rename', id: 'a' });
  expect(accountStep(renaming, { type: 'confirm', text: '  ' })).toEqual([renaming]);
  expect(accountStep(renaming, { type: 'confirm', text: 'Phone' })[1]).toEqual({
    do: 'rename',
    passkey: 'a',
    name: 'Phone',
  });
});

test('a session that has ended leads back to the sign-in, and a change of another tab is read again', () => {
  const adding: AccountState = { name: 'adding', step: 'saving', view };
  expect(accountStep(adding, { type: 'failed', failure: new Failed('signed_out') })[0]).toMatchObject({
    name: 'signedOut',
    why: 'ended',
  });
  expect(accountStep(adding, { type: 'failed', failure: new Failed('changed') })[1]).toEqual({
    do: 'read',
    notice: 'changed',
  });
});

test('a cancelled sign-in can be tried again, and a network failure before anything is known loads again', () => {
  const working: AccountState = { name: 'working', organization };
  const cancelled = stateAfter(working, { type: 'failed', failure: new Failed('cancelled') });
  expect(accountStep(cancelled, { type: 'signIn' })).toEqual([
    { name: 'preparing', organization },
    { do: 'authenticate' },
  ]);
  const offline = stateAfter({ name: 'loading' }, { type: 'failed', failure: new Failed('unavailable') });
  expect(accountStep(offline, { type: 'signIn' })).toEqual([{ name: 'loading' }, { do: 'load' }]);
});
