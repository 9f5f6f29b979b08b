import { describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { decryptPersonalData } from '../privacy/personal-data.js';
import { pseudonymForm, pseudonymOf } from '../privacy/pseudonyms.js';
import { eventOf } from './leaf.js';
import { emptyLogHead, type LogHead } from './log-head.js';
import { key, lateId, planBatch, type AppendItem, type BatchState } from './plan.js';

const emptyState: BatchState = {
  heads: new Map(),
  entries: new Map(),
  pseudonyms: new Map(),
  personalDataKeys: new Map(),
  erased: new Set(),
};
const now = new Date('2026-11-21T10:00:00Z');
/** The head of a log with that many entries. */
const headAt = (seq: number): LogHead => ({
  ...emptyLogHead,
  seq,
  range: Buffer.alloc(32 * [...seq.toString(2)].filter((bit) => bit === '1').length),
});
/** With the salt of the nth random value. */
const pseudonym = (value: string, n: number) => pseudonymOf({ value, salt: Buffer.alloc(16, n) });
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const customer = { type: 'customer', id: 'c', dataSubject: 'c' } as const;

function item(n: number, given: Partial<AuditRecord> = {}, rest: Partial<AppendItem> = {}): AppendItem {
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

function planned(items: AppendItem[], state: Partial<BatchState> = {}) {
  let calls = 0;
  const random = (size: number) => Buffer.alloc(size, (calls += 1));
  const { entries, newMappings, lateRecords, heads, newKeys } = planBatch(
    items,
    { ...emptyState, ...state },
    now,
    random,
  );
  return {
    heads,
    newKeys,
    appended: entries.map((e) => [e.org, e.seq, e.record.id]),
    entries,
    newMappings,
    lateRecords,
    targets: entries.map((e) => e.leaf.targets),
  };
}

describe('seq', () => {
  it('continues the head of each organization, in the order of the records', () => {
    const items = [item(1), item(2, {}, { org: 'other' }), item(3)];
    expect(planned(items, { heads: new Map([['acme', headAt(7)]]) }).appended).toEqual([
      ['acme', 8, id(1)],
      ['other', 1, id(2)],
      ['acme', 9, id(3)],
    ]);
  });

  it('is assigned to each id once, in a batch and across batches', () => {
    const before = { entries: new Map([[key('acme', id(2)), false]]) };
    expect(planned([item(1), item(1), item(2), item(3)], before).appended).toEqual([
      ['acme', 1, id(1)],
      ['acme', 2, id(3)],
    ]);
  });

  it('is assigned per organization when two of them chose the same id', () => {
    expect(planned([item(1), item(1, {}, { org: 'other' })]).appended).toHaveLength(2);
  });
});

describe("the gateway's provisional record", () => {
  const provisional = item(1, { outcome: { result: 'failure' } }, { provisional: true });
  const handlers = item(1);

  it.each([[[provisional, handlers]], [[handlers, provisional]]])(
    "is replaced by the handler's record of the same batch",
    (items) => {
      expect(planned(items).entries).toMatchObject([
        { provisional: false, record: { outcome: { result: 'success' } } },
      ]);
    },
  );

  it("is skipped when the handler's record was appended before", () => {
    expect(planned([provisional], { entries: new Map([[key('acme', id(1)), false]]) }).appended).toEqual([]);
  });

  it("stays when it was appended before, and the handler's record is appended once, under a derived id", () => {
    const entries = new Map([[key('acme', id(1)), true]]);
    const { appended, lateRecords } = planned([handlers, handlers], { entries });
    expect(appended).toEqual([['acme', 1, lateId(id(1))]]);
    expect(lateRecords).toEqual([handlers.record]);
    expect(lateId(id(1))).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(
      planned([handlers, provisional], { entries: entries.set(key('acme', lateId(id(1))), false) }).appended,
    ).toEqual([]);
  });
});

describe('pseudonyms', () => {
  it('are one per id and organization', () => {
    const { targets, newMappings } = planned([
      item(1, { targets: [customer] }),
      item(2, { targets: [customer] }),
      item(3, { targets: [customer] }, { org: 'other' }),
    ]);
    expect(targets).toEqual([[pseudonym('c', 1)], [pseudonym('c', 1)], [pseudonym('c', 2)]]);
    expect(newMappings).toEqual([
      { org: 'acme', value: 'c', dataSubject: 'c', pseudonym: pseudonym('c', 1), salt: Buffer.alloc(16, 1) },
      { org: 'other', value: 'c', dataSubject: 'c', pseudonym: pseudonym('c', 2), salt: Buffer.alloc(16, 2) },
    ]);
  });

  it('are reused when the id has one', () => {
    const { targets, newMappings } = planned([item(1, { targets: [customer] })], {
      pseudonyms: new Map([[key('acme', 'c'), 'existing']]),
    });
    expect([targets, newMappings]).toEqual([[['existing']], []]);
  });

  it('of erased ids have no mapping', () => {
    const erased = new Set([customerKey('acme', 'c').toString('hex')]);
    const { targets, newMappings } = planned(
      [item(1, { targets: [customer, { type: 'offer', id: 'o', dataSubject: 'c' }] })],
      {
        erased,
      },
    );
    expect([targets, newMappings]).toEqual([[[pseudonym('c', 1), pseudonym('o', 2)]], []]);
  });

  it('have no mapping in the batch that erases the customer, in either order', () => {
    const [before, erase] = [item(1, { targets: [customer] }), item(2, { targets: [customer] }, { erases: 'c' })];
    expect(planned([before, erase]).newMappings).toEqual([]);
    expect(planned([erase, before]).newMappings).toEqual([]);
  });

  it('replace an offer without a data subject when an earlier record had one', () => {
    const offer = item(1, { targets: [{ type: 'offer', id: 'o' }] });
    expect(planned([offer]).targets).toEqual([['o']]);
    expect(planned([offer], { pseudonyms: new Map([[key('acme', 'o'), 'earlier']]) }).targets).toEqual([['earlier']]);
    expect(planned([offer], { erased: new Set([customerKey('acme', 'o').toString('hex')]) }).targets).toEqual([
      [expect.stringMatching(pseudonymForm)],
    ]);
  });
});

it('a record that comes after the erasure lists its pseudonyms without mapping as erased', () => {
  const erased = new Set([customerKey('acme', 'c').toString('hex')]);
  const {
    entries: [late, other],
  } = planned(
    [item(1, { targets: [customer] }), item(2, { targets: [{ type: 'customer', id: 'd', dataSubject: 'd' }] })],
    {
      erased,
    },
  );
  expect((JSON.parse(late!.leaf.bytes.toString()) as { erased: string[] }).erased).toEqual(late!.leaf.targets);
  expect(other!.leaf.bytes.toString()).not.toContain('erased');
  expect(eventOf(1, late!.leaf.bytes, new Map())).not.toHaveProperty('erased');
});

describe('personal data', () => {
  const request = { id: 'r', traceparent: '', method: 'GET', route: '/', address: '203.0.113.7', userAgent: 'Browser' };
  const acting = { actor: { type: 'customer', id: 'c' }, request } as const;
  const leafText = (items: AppendItem[], state: Partial<BatchState> = {}) =>
    planned(items, state)
      .entries.map((e) => e.leaf.bytes.toString())
      .join();

  it('is in the leaf as a hash, and encrypted with one key per data subject', () => {
    const { entries, newKeys } = planned([item(1, acting), item(2, { request, targets: [customer] })]);
    expect(newKeys).toMatchObject([{ org: 'acme', dataSubject: 'c' }]);
    expect(entries.map((e) => e.personalData?.keyId)).toEqual([newKeys[0]!.key.id, newKeys[0]!.key.id]);
    expect(
      entries.map((e) => Object.keys((JSON.parse(e.leaf.bytes.toString()) as { personal: object }).personal)),
    ).toEqual([
      ['address', 'userAgent'],
      ['address', 'userAgent'],
    ]);
    expect(leafText([item(1, acting)])).not.toMatch(/203\.0|Browser/);
    expect(decryptPersonalData(entries[0]!.personalData!.sealed, newKeys[0]!.key.key, 'acme', id(1))).toMatchObject({
      address: { value: '203.0.113.7' },
      userAgent: { value: 'Browser' },
    });
    expect(() => decryptPersonalData(entries[0]!.personalData!.sealed, newKeys[0]!.key.key, 'acme', id(2))).toThrow();
  });

  it('includes the reason of a change, which is free text', () => {
    const act = item(1, { targets: [customer], changes: { status: { to: 'revoked' }, reason: { to: 'Ada lost it' } } });
    const { entries, newKeys } = planned([act]);
    const [{ leaf, personalData }] = entries as [(typeof entries)[0]];
    expect(leaf.bytes.toString()).not.toContain('Ada');
    const decrypted = decryptPersonalData(personalData!.sealed, newKeys[0]!.key.key, 'acme', id(1));
    expect(eventOf(1, leaf.bytes, new Map(), decrypted).changes).toEqual({
      status: { to: 'revoked' },
      reason: { to: 'Ada lost it' },
    });
    expect(eventOf(1, leaf.bytes, new Map(), {}).changes).toEqual({ status: { to: 'revoked' } });
  });

  it('is omitted from a record without a data subject, or of an erased one', () => {
    const erased = new Set([customerKey('acme', 'c').toString('hex')]);
    expect(leafText([item(1, { request })])).not.toMatch(/personal|203\.0/);
    expect(leafText([item(1, acting)], { erased })).not.toMatch(/personal|203\.0/);
    expect(leafText([item(1, acting), item(2, {}, { erases: 'c' })])).not.toMatch(/personal|203\.0/);
    expect(planned([item(1, acting)], { erased }).newKeys).toEqual([]);
  });

  describe('that is a request id chosen by the caller', () => {
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

    it('is encrypted for the data subject, and read instead of our id', () => {
      const {
        entries: [entry],
        newKeys,
      } = planned([item(1, { request: chosen, targets: [customer] })]);
      const text = entry!.leaf.bytes.toString();
      expect(text).not.toMatch(/019aa5f2|caller/);
      expect([hashesOf(text), newKeys.map((p) => p.dataSubject)]).toEqual([['requestId', 'traceparent'], ['c']]);
      const decrypted = decryptPersonalData(entry!.personalData!.sealed, newKeys[0]!.key.key, 'acme', id(1));
      expect(eventOf(1, entry!.leaf.bytes, new Map(), decrypted).request).toEqual({
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

    it('is encrypted for the unknown data subject when the record has none, and omitted after an erasure', () => {
      const list = item(1, { request: { ...chosen, address: '203.0.113.7' } });
      const {
        entries: [entry],
        newKeys,
      } = planned([list]);
      expect([hashesOf(entry!.leaf.bytes.toString()), newKeys.map((p) => p.dataSubject)]).toEqual([
        ['requestId', 'traceparent'],
        [''],
      ]);
      expect(leafText([list, item(2, {}, { erases: 'c' })])).not.toMatch(/personal|019aa5f2/);
    });

    it('is omitted when it is an erased id, also as the id of a trace', () => {
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

  it('is omitted when the personal data key cannot be decrypted, and the record is appended', () => {
    const { entries, newKeys } = planned([item(1, acting)], {
      personalDataKeys: new Map([[key('acme', 'c'), undefined]]),
    });
    expect([entries.length, entries[0]!.personalData, newKeys]).toEqual([1, undefined, []]);
    expect(entries[0]!.leaf.bytes.toString()).not.toContain('personal');
  });
});
