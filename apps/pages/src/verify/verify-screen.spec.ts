import { expect, test } from '@jest/globals';
import type { Verdict } from '@holdfast/log-verifier';
import { outcomeScreen } from './verify-screen.ts';

const verdict: Verdict = {
  verified: true,
  findings: [],
  more: 0,
  origin: 'id.example/o/acme/audit',
  entries: 300,
  newest: { size: 300, root: 'cm9vdA==' },
  dropped: 0,
  unprovable: 0,
  onlyUnprovable: false,
  notes: [],
  continues: ['that you gave (cosigned by one.example)'],
};
const screenOf = (change: Partial<Verdict>) => outcomeScreen({ kind: 'log', verdict: { ...verdict, ...change } });

test('a verified log shows its name, entries, newest checkpoint, and the kept one with its witnesses', () => {
  expect(screenOf({})).toEqual({
    tone: 'good',
    heading: 'Verified',
    body: ['All 300 entries are as the log has signed them: none is missing, changed, inserted or moved.'],
    facts: [
      { name: 'Log', value: 'id.example/o/acme/audit' },
      { name: 'Entries', value: '300' },
      { name: 'Newest checkpoint', value: '300 entries, root cm9vdA==' },
      { name: 'Continues the checkpoint', value: 'that you gave (cosigned by one.example)' },
    ],
    findings: [],
  });
});

test('without a kept checkpoint, the verdict says what it leaves open', () => {
  expect(screenOf({ continues: [] }).body[1]).toContain('the newest entries may have been removed');
});

test('dropped and unproven entries are counted, and notes are listed', () => {
  const { facts, findings } = screenOf({ dropped: 2, unprovable: 3, notes: ['A note.'] });
  expect(facts!.slice(-2)).toEqual([
    { name: 'Dropped', value: '2 entries, as the log itself records: only their hashes are left' },
    { name: 'Accepted without proof', value: '3' },
  ]);
  expect(findings).toEqual(['A note.']);
});

test('a log that does not verify lists what does not match, and how much more', () => {
  expect(
    screenOf({ verified: false, findings: ['Entry 17 is missing: 16 is followed by 18.'], more: 2 }),
  ).toMatchObject({
    tone: 'stop',
    heading: 'Does not verify',
    findings: ['Entry 17 is missing: 16 is followed by 18.', '… and 2 more.'],
  });
  expect(screenOf({ verified: false, findings: ['x'], onlyUnprovable: true }).heading).toBe('Cannot be proven in full');
});

test('every outcome has its own heading, and only good ones have the tone of one', () => {
  const entry = { origin: 'o', seq: 1, size: 2, id: 'i', action: 'offer.read', occurredAt: 't' };
  const screens = [
    screenOf({}),
    screenOf({ verified: false, findings: ['x'] }),
    screenOf({ verified: false, findings: ['x'], onlyUnprovable: true }),
    outcomeScreen({ kind: 'entry', entry }),
    outcomeScreen({ kind: 'wrongEntry' }),
    outcomeScreen({ kind: 'undecided', message: 'Why.' }),
  ];
  expect(new Set(screens.map(({ heading }) => heading)).size).toBe(screens.length);
  expect(screens.map(({ tone }) => tone)).toEqual(['good', 'stop', 'stop', 'good', 'stop', 'stop']);
});
