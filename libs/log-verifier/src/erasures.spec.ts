import { describe, expect, test } from '@jest/globals';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, entryOf, logOf, newSigner } from '@holdfast/testing/exported-log';
import { verdictOf } from './verdict.fixture.js';

const signer = newSigner();
const [customer, other, offer] = ['A', 'B', 'C'].map((letter) => letter.repeat(21) + 'A') as [string, string, string];
const entryAbout = (seq: number, ...ids: [type: 'customer' | 'offer' | 'organization', id: string][]) => ({
  ...entryOf(seq, { targets: ids.map(([type, id]) => ({ type, id })) }),
  personal: {},
});
const erasure = (seq: number, id = customer) => ({
  ...entryOf(seq, { action: 'subject.erase', targets: [{ type: 'customer', id }] }),
  class: 'kept',
  personal: {},
});
const check = (entries: readonly ExportedAuditEntry[], allowUnprovable = false) =>
  verdictOf(entries, checkpointOf(entries, signer), [signer.key], [], { allowUnprovable });
/** The log with some entries replaced. */
const logWith = (size: number, ...replaced: ExportedAuditEntry[]) =>
  logOf(size).map(
    (e) => replaced.find((r) => r.seq === e.seq) ?? (e.seq % 256 === 0 ? { ...e, lastAt: e.found!.occurredAt } : e),
  );

describe('a pseudonym without a mapping', () => {
  test('verifies when an erasure record before or after it names it', () => {
    expect(
      check(
        logWith(
          9,
          entryAbout(3, ['customer', customer], ['offer', offer]),
          erasure(6),
          entryAbout(8, ['customer', customer]),
        ),
      ),
    ).toMatchObject({ verified: true, unprovable: 0 });
  });

  test('of a person and their passkey verifies when a record of user.remove names the person', () => {
    const passkey = 'C'.repeat(21) + 'A';
    const targets = [
      { type: 'person' as const, id: customer },
      { type: 'passkey' as const, id: passkey },
    ];
    const removal = {
      ...entryOf(6, { action: 'user.remove', targets: targets.slice(0, 1) }),
      class: 'kept',
      personal: {},
    };
    // The actor is a person who was not removed, and has a mapping.
    const removing = (seq: number) => {
      const open = entryOf(seq);
      const [name] = open.names!;
      const actor = { type: 'person' as const, id: name!.pseudonym };
      return {
        ...entryOf(seq, { action: 'passkey.remove', actor, targets } as never),
        names: [name!],
      };
    };
    const entry = removing(3);
    expect(check(logWith(9, entry, removal))).toMatchObject({ verified: true, unprovable: 0 });
    expect(check(logWith(9, entry))).toMatchObject({ verified: false });
  });

  test('does not verify when no customer was erased, or another one', () => {
    const sentence =
      'Entry 3 has a pseudonym without a mapping, as if that customer or person were erased, but no record of ' +
      'subject.erase or user.remove names them: the mapping was removed.';
    expect(check(logWith(9, entryAbout(3, ['customer', customer])))).toMatchObject({
      verified: false,
      findings: [sentence],
    });
    expect(
      check(
        logWith(
          800,
          entryAbout(3, ['customer', customer]),
          entryAbout(700, ['customer', customer]),
          erasure(600, other),
        ),
        true,
      ),
    ).toMatchObject({ verified: false, findings: [sentence] });
  });

  test('does not verify when it belongs to an offer whose customer has a mapping', () => {
    const entry = entryOf(3);
    expect(check(logWith(9, { ...entry, names: entry.names!.slice(0, 1) })).findings).toEqual([
      expect.stringContaining(
        'Entry 3 has a pseudonym of something that belongs to a customer or person, without a mapping',
      ),
    ]);
  });

  test('does not verify when it belongs to the assignment of a person who has a mapping', () => {
    const open = entryOf(3);
    const [person, owned] = open.names!.map(({ pseudonym }) => pseudonym) as [string, string];
    const targets = [
      { type: 'assignment' as const, id: owned },
      { type: 'person' as const, id: person },
    ];
    const entry = { ...entryOf(3, { action: 'assignment.create', targets }), names: open.names!.slice(0, 1) };
    expect(check(logWith(9, { ...entry, class: 'changes' })).findings).toEqual([
      expect.stringContaining('Entry 3 has a pseudonym of something that belongs to a customer or person'),
    ]);
  });

  test('verifies when the leaf says that it was appended after the erasure', () => {
    const late = entryOf(7, { targets: [{ type: 'customer', id: other }], erased: [other] } as never);
    expect(check(logWith(9, erasure(3), { ...late, personal: {} }))).toMatchObject({ verified: true, unprovable: 0 });
  });

  test('is unprovable when it was appended after an erasure and the leaf does not say so', () => {
    const log = logWith(9, erasure(3), entryAbout(7, ['customer', other]));
    expect(check(log)).toMatchObject({
      verified: false,
      onlyUnprovable: true,
      unprovable: 1,
      findings: [
        expect.stringContaining('Entry 7 has a pseudonym without a mapping that no subject.erase record names'),
      ],
    });
    expect(check(log, true)).toMatchObject({ verified: true, unprovable: 1 });
  });

  test('is recognized by the types of actor and targets', () => {
    expect(check(logWith(9, entryAbout(3, ['organization', 'acme-health-insurance1'])))).toMatchObject({
      verified: true,
    });
  });
});

describe('an export does not verify when a member was removed', () => {
  const without = (entry: ExportedAuditEntry, member: string) =>
    Object.fromEntries(Object.entries(entry).filter(([name]) => name !== member)) as unknown as ExportedAuditEntry;
  const log = logOf(300).map((e) => (e.seq === 256 ? { ...e, lastAt: e.found!.occurredAt } : e));

  test.each([
    ['class', 17, 'Entry 17 has no class and month'],
    ['month', 17, 'Entry 17 has no class and month'],
    ['lastAt', 256, 'Entry 256 has no lastAt'],
  ])('(%s of entry %i)', (member, seq, sentence) => {
    expect(check(log).verified).toBe(true);
    expect(check(log.map((e) => (e.seq === seq ? without(e, member) : e)))).toMatchObject({
      verified: false,
      findings: [expect.stringContaining(sentence)],
    });
  });

  test('(the salt of a pseudonym mapping or of a personal value)', () => {
    const { salt: _, ...open } = log[16]!.personal!.address!;
    const withNames = log.map((e) =>
      e.seq === 17 ? { ...e, names: e.names!.map((n) => ({ pseudonym: n.pseudonym, value: n.value }) as never) } : e,
    );
    expect(check(withNames).findings[0]).toMatch(
      /^Entry 17 has a mapping for the pseudonym [\w-]{22} without its salt\.$/,
    );
    expect(check(log.map((e) => (e.seq === 17 ? { ...e, personal: { address: open as never } } : e))).findings).toEqual(
      ['Entry 17 shows its address without the salt that was hashed.'],
    );
  });
});
