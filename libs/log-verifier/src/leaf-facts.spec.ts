import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { leafFacts } from './leaf-facts.js';

const word = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('"', '\\', '","id":"x', '"changes":', '"}],"outcome":{"result":"denied"', 'ü', '\u2028', '}', ']'),
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
    outcome: fc.record({ result: fc.constantFrom('success', 'denied'), code: word }, { requiredKeys: ['result'] }),
    request: fc.record({ id: word, route: word }),
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
      const person =
        r.personal && (actor.type === 'customer' ? actor.id : targets.find((t) => t.type === 'customer')?.id);
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
