import { describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { unsealPersonal } from '../privacy/personal-data.js';
import { pseudonymForm, pseudonymOf } from '../privacy/pseudonym.js';
import { eventOf } from './leaf.js';
import { emptyHead, type Head } from './log-head.js';
import { arrange, type Known } from './plan.js';
import { key, lateId, type Item } from './select.js';

const nothingKnown: Known = {
  heads: new Map(),
  entries: new Map(),
  pseudonyms: new Map(),
  persons: new Map(),
  erased: new Set(),
};
const now = new Date('2026-11-21T10:00:00Z');
/** Where a log of that many entries ends. */
const headAt = (seq: number): Head => ({
  ...emptyHead,
  seq,
  range: Buffer.alloc(32 * [...seq.toString(2)].filter((bit) => bit === '1').length),
});
/** Of the nth chance that was taken. */
const pseudonym = (value: string, n: number) => pseudonymOf({ value, salt: Buffer.alloc(16, n) });
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const customer = { type: 'customer', id: 'c', dataSubject: 'c' } as const;

function item(n: number, given: Partial<AuditRecord> = {}, rest: Partial<Item> = {}): Item {
  const request = { id: `request-${n}`, traceparent: '', method: 'GET', route: '/' };
  const record: AuditRecord = {
    id: id(n),
    occurredAt: '2026-11-21T09:30:00.000Z',
    action: 'subject.read',
    actor: { type: 'app', id: 'app' },
    targets: [],
    outcome: { result: 'success' },
    request,
    ...given,
  };
  return { org: 'acme', record, ...rest };
}

function arranged(items: Item[], known: Partial<Known> = {}) {
  let made = 0;
  const random = (size: number) => Buffer.alloc(size, (made += 1));
  const { entries, named, late, heads, persons } = arrange(items, { ...nothingKnown, ...known }, now, random);
  return {
    heads,
    persons,
    places: entries.map((e) => [e.org, e.seq, e.record.id]),
    entries,
    named,
    late,
    targets: entries.map((e) => e.leaf.targets),
  };
}

describe('places', () => {
  it('follow the head of each organization, in the order in which records came', () => {
    const items = [item(1), item(2, {}, { org: 'other' }), item(3)];
    expect(arranged(items, { heads: new Map([['acme', headAt(7)]]) }).places).toEqual([
      ['acme', 8, id(1)],
      ['other', 1, id(2)],
      ['acme', 9, id(3)],
    ]);
  });

  it('go to each id once, in a batch and ever', () => {
    const known = { entries: new Map([[key('acme', id(2)), false]]) };
    expect(arranged([item(1), item(1), item(2), item(3)], known).places).toEqual([
      ['acme', 1, id(1)],
      ['acme', 2, id(3)],
    ]);
  });

  it('are not shared between organizations that chose the same id', () => {
    expect(arranged([item(1), item(1, {}, { org: 'other' })]).places).toHaveLength(2);
  });
});

describe("the gateway's guess", () => {
  const guess = item(1, { outcome: { result: 'failure' } }, { provisional: true });
  const handlers = item(1);

  it.each([[[guess, handlers]], [[handlers, guess]]])("gives way to the handler's record in one batch", (items) => {
    expect(arranged(items).entries).toMatchObject([{ provisional: false, record: { outcome: { result: 'success' } } }]);
  });

  it("is not repeated after the handler's", () => {
    expect(arranged([guess], { entries: new Map([[key('acme', id(1)), false]]) }).places).toEqual([]);
  });

  it("that has its place leaves another for the handler's, whose second id is always the same", () => {
    const entries = new Map([[key('acme', id(1)), true]]);
    const { places, late } = arranged([handlers, handlers], { entries });
    expect(places).toEqual([['acme', 1, lateId(id(1))]]);
    expect(late).toEqual([handlers.record]);
    expect(lateId(id(1))).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(arranged([handlers, guess], { entries: entries.set(key('acme', lateId(id(1))), false) }).places).toEqual([]);
  });
});

describe('names', () => {
  it('become one pseudonym for each id and organization', () => {
    const { targets, named } = arranged([
      item(1, { targets: [customer] }),
      item(2, { targets: [customer] }),
      item(3, { targets: [customer] }, { org: 'other' }),
    ]);
    expect(targets).toEqual([[pseudonym('c', 1)], [pseudonym('c', 1)], [pseudonym('c', 2)]]);
    expect(named).toEqual([
      { org: 'acme', value: 'c', dataSubject: 'c', pseudonym: pseudonym('c', 1), salt: Buffer.alloc(16, 1) },
      { org: 'other', value: 'c', dataSubject: 'c', pseudonym: pseudonym('c', 2), salt: Buffer.alloc(16, 2) },
    ]);
  });

  it('keep the pseudonym that they have', () => {
    const { targets, named } = arranged([item(1, { targets: [customer] })], {
      pseudonyms: new Map([[key('acme', 'c'), 'known']]),
    });
    expect([targets, named]).toEqual([[['known']], []]);
  });

  it('that are erased become a pseudonym which means nobody', () => {
    const erased = new Set([customerKey('acme', 'c').toString('hex')]);
    const { targets, named } = arranged(
      [item(1, { targets: [customer, { type: 'offer', id: 'o', dataSubject: 'c' }] })],
      {
        erased,
      },
    );
    expect([targets, named]).toEqual([[[pseudonym('c', 1), pseudonym('o', 2)]], []]);
  });

  it('are not remembered in the batch that erases them, whichever comes first', () => {
    const [before, erase] = [item(1, { targets: [customer] }), item(2, { targets: [customer] }, { erases: 'c' })];
    expect(arranged([before, erase]).named).toEqual([]);
    expect(arranged([erase, before]).named).toEqual([]);
  });

  it('include an offer that a record names without saying whose it is, where another did', () => {
    const offer = item(1, { targets: [{ type: 'offer', id: 'o' }] });
    expect(arranged([offer]).targets).toEqual([['o']]);
    expect(arranged([offer], { pseudonyms: new Map([[key('acme', 'o'), 'known']]) }).targets).toEqual([['known']]);
    expect(arranged([offer], { erased: new Set([customerKey('acme', 'o').toString('hex')]) }).targets).toEqual([
      [expect.stringMatching(pseudonymForm)],
    ]);
  });
});

it('that came when somebody was erased already say which of their pseudonyms never opened', () => {
  const erased = new Set([customerKey('acme', 'c').toString('hex')]);
  const {
    entries: [late, other],
  } = arranged(
    [item(1, { targets: [customer] }), item(2, { targets: [{ type: 'customer', id: 'd', dataSubject: 'd' }] })],
    {
      erased,
    },
  );
  expect((JSON.parse(late!.leaf.bytes.toString()) as { erased: string[] }).erased).toEqual(late!.leaf.targets);
  expect(other!.leaf.bytes.toString()).not.toContain('erased');
  expect(eventOf(1, late!.leaf.bytes, new Map())).not.toHaveProperty('erased');
});

describe('what is personal', () => {
  const request = { id: 'r', traceparent: '', method: 'GET', route: '/', address: '203.0.113.7', userAgent: 'Browser' };
  const acting = { actor: { type: 'customer', id: 'c' }, request } as const;
  const leafText = (items: Item[], known: Partial<Known> = {}) =>
    arranged(items, known)
      .entries.map((e) => e.leaf.bytes.toString())
      .join();

  it('stands in the leaf as a hash, with one key for all of a person', () => {
    const { entries, persons } = arranged([item(1, acting), item(2, { request, targets: [customer] })]);
    expect(persons).toMatchObject([{ org: 'acme', dataSubject: 'c' }]);
    expect(entries.map((e) => e.personal?.person)).toEqual([persons[0]!.person.id, persons[0]!.person.id]);
    expect(
      entries.map((e) => Object.keys((JSON.parse(e.leaf.bytes.toString()) as { personal: object }).personal)),
    ).toEqual([
      ['address', 'userAgent'],
      ['address', 'userAgent'],
    ]);
    expect(leafText([item(1, acting)])).not.toMatch(/203\.0|Browser/);
    expect(unsealPersonal(entries[0]!.personal!.sealed, persons[0]!.person.key, 'acme', id(1))).toMatchObject({
      address: { value: '203.0.113.7' },
      userAgent: { value: 'Browser' },
    });
    expect(() => unsealPersonal(entries[0]!.personal!.sealed, persons[0]!.person.key, 'acme', id(2))).toThrow();
  });

  it('is also why something was done to a customer, which is free text', () => {
    const act = item(1, { targets: [customer], changes: { status: { to: 'revoked' }, reason: { to: 'Ada lost it' } } });
    const { entries, persons } = arranged([act]);
    const [{ leaf, personal }] = entries as [(typeof entries)[0]];
    expect(leaf.bytes.toString()).not.toContain('Ada');
    const opened = unsealPersonal(personal!.sealed, persons[0]!.person.key, 'acme', id(1));
    expect(eventOf(1, leaf.bytes, new Map(), opened).changes).toEqual({
      status: { to: 'revoked' },
      reason: { to: 'Ada lost it' },
    });
    expect(eventOf(1, leaf.bytes, new Map(), {}).changes).toEqual({ status: { to: 'revoked' } });
  });

  it('is left out of a record that names nobody, or somebody who is erased', () => {
    const erased = new Set([customerKey('acme', 'c').toString('hex')]);
    expect(leafText([item(1, { request })])).not.toMatch(/personal|203\.0/);
    expect(leafText([item(1, acting)], { erased })).not.toMatch(/personal|203\.0/);
    expect(leafText([item(1, acting), item(2, {}, { erases: 'c' })])).not.toMatch(/personal|203\.0/);
    expect(arranged([item(1, acting)], { erased }).persons).toEqual([]);
  });

  describe('as an id that a caller chose for a request may be', () => {
    const uuid = '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03';
    const chosen = {
      id: 'ours',
      traceparent: '',
      method: 'GET',
      route: '/',
      callerId: uuid,
      callerTraceparent: `00-${uuid.replaceAll('-', '')}-00f067aa0ba902b7-01`,
    };
    const hashesOf = (text: string) => Object.keys((JSON.parse(text) as { personal?: object }).personal ?? {});

    it('is sealed for the customer whom it concerned, and read in the place of ours', () => {
      const {
        entries: [entry],
        persons,
      } = arranged([item(1, { request: chosen, targets: [customer] })]);
      const text = entry!.leaf.bytes.toString();
      expect(text).not.toMatch(/019aa5f2|caller/);
      expect([hashesOf(text), persons.map((p) => p.dataSubject)]).toEqual([['requestId', 'traceparent'], ['c']]);
      const opened = unsealPersonal(entry!.personal!.sealed, persons[0]!.person.key, 'acme', id(1));
      expect(eventOf(1, entry!.leaf.bytes, new Map(), opened).request).toEqual({
        id: uuid,
        traceparent: chosen.callerTraceparent,
        method: 'GET',
        route: '/',
      });
      expect(eventOf(1, entry!.leaf.bytes, new Map()).request).toEqual({
        id: 'ours',
        traceparent: '',
        method: 'GET',
        route: '/',
      });
    });

    it("is sealed for nobody where the record names nobody, apart from all that is only a customer's, and gone with the next erasure", () => {
      const list = item(1, { request: { ...chosen, address: '203.0.113.7' } });
      const {
        entries: [entry],
        persons,
      } = arranged([list]);
      expect([hashesOf(entry!.leaf.bytes.toString()), persons.map((p) => p.dataSubject)]).toEqual([
        ['requestId', 'traceparent'],
        [''],
      ]);
      expect(leafText([list, item(2, {}, { erases: 'c' })])).not.toMatch(/personal|019aa5f2/);
    });

    it('is left out when it is the id of somebody who was erased, also as the id of a trace', () => {
      const erased = new Set([customerKey('acme', uuid).toString('hex')]);
      for (const request of [
        { ...chosen, callerTraceparent: '' },
        { ...chosen, callerId: 'free' },
        { ...chosen, callerId: uuid.toUpperCase() },
      ]) {
        expect(leafText([item(1, { request }), item(2, { request, targets: [customer] })], { erased })).not.toMatch(
          /personal/,
        );
      }
    });
  });

  it('is left out when the key of that person cannot be opened: the log goes on', () => {
    const { entries, persons } = arranged([item(1, acting)], { persons: new Map([[key('acme', 'c'), undefined]]) });
    expect([entries.length, entries[0]!.personal, persons]).toEqual([1, undefined, []]);
    expect(entries[0]!.leaf.bytes.toString()).not.toContain('personal');
  });
});
