import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FormatError } from '@holdfast/tlog';
import { leafFacts } from './leaf-facts.js';

const word = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    'AAAAAAAAAAAAAAAAAAAAAA',
    '"',
    '\\',
    '","id":"x',
    '"changes":',
    '"}],"outcome":{"result":"denied"',
    'ü',
    '\u2028',
    '}',
    ']',
  ),
);
const record = fc.record(
  {
    id: word,
    occurredAt: word,
    action: word,
    actor: fc.record(
      { type: fc.constantFrom('app', 'customer'), id: word, name: word },
      { requiredKeys: ['type', 'id'] },
    ),
    targets: fc.array(fc.record({ type: fc.constantFrom('customer', 'credential_type'), id: word }), { maxLength: 3 }),
    outcome: fc.record(
      { result: fc.constantFrom('success', 'denied'), status: fc.constantFrom(200, 404), code: word },
      { requiredKeys: ['result'] },
    ),
    request: fc.record({ id: word, traceparent: word, method: word, route: word }),
    changes: fc.dictionary(word, fc.record({ from: word, to: word })),
    personal: fc.record({ address: word }),
  },
  { requiredKeys: ['id', 'occurredAt', 'action', 'actor', 'targets', 'outcome', 'request'] },
);

test('leafFacts returns the same by pattern and by parsing, for any record', () => {
  fc.assert(
    fc.property(record, (r) => {
      const text = JSON.stringify(r);
      const { id, occurredAt, action, actor, targets, outcome, changes, personal = {} } = JSON.parse(text) as typeof r;
      const isPseudonym = ({ type, id }: { type: string; id: string }) => type === 'customer' && id.length === 22;
      const person = r.personal && (actor.type === 'customer' ? actor.id : targets.find(isPseudonym)?.id);
      expect(leafFacts(Buffer.from(text))).toEqual({
        id,
        occurredAt,
        action,
        actor: actor.id,
        outcome: outcome.result,
        targets: targets.map((t) => t.id),
        personal,
        ...(changes && { changes }),
        person,
      });
    }),
    { numRuns: 2000 },
  );
});

test.each(['', '{', '[]', '{}', '{"id":"x"}', 'null'])('leafFacts throws for %j', (text) => {
  expect(() => leafFacts(Buffer.from(text))).toThrow();
});

const usual =
  '{"id":"a","occurredAt":"b","action":"c","actor":{"type":"app","id":"d","name":"e"},' +
  '"targets":[{"type":"app","id":"f"},{"type":"app","id":"g"}],"outcome":{"result":"success","status":200},' +
  '"request":{"id":"h","traceparent":"i","method":"GET","route":"/"}}';

test('leafFacts reads the usual form', () => {
  expect(leafFacts(Buffer.from(usual))).toMatchObject({ id: 'a', action: 'c', targets: ['f', 'g'] });
});

test.each([
  ['a member twice', usual.replace(/}$/, ',"action":"x"}')],
  ['a member twice in its outcome', usual.replace('"status":200', '"status":200,"result":"denied"')],
  ['a comma too many', usual.replace('}],', '},],')],
  ['two targets without a comma', usual.replace('},{', '}{')],
  ['a control character', usual.replace('GET', 'G\nT')],
  ['no actor', usual.replace('"actor"', '"actors"')],
  ['a target without an id', usual.replace('"id":"f"', '"name":"f"')],
  ['personal values that are no texts', usual.replace(/}$/, ',"personal":{"address":7}}')],
])('leafFacts throws for a leaf with %s', (_, text) => {
  expect(() => leafFacts(Buffer.from(text))).toThrow(FormatError);
});

test('leafFacts throws for bytes that are not UTF-8', () => {
  expect(() => leafFacts(Buffer.from(usual.replace('GET', '\xff'), 'latin1'))).toThrow('not UTF-8');
});
