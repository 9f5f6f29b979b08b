import { expect, test } from '@jest/globals';
import { makerOf, makerSchema } from './maker.js';

test.each([
  [{ type: 'app', id: 'app_1', name: 'Shop' } as const, { type: 'app', id: 'app_1', name: 'Shop' }],
  [{ type: 'person', id: 'p', name: 'Ada' } as const, { type: 'person', id: 'p' }],
  [{ type: 'operator', id: 'operator' } as const, { type: 'operator', id: 'operator' }],
])('the maker of %j has no name of a person', (actor, maker) => {
  expect(makerOf(actor)).toEqual(maker);
  expect(makerSchema.safeParse(maker).success).toBe(true);
});

test.each(['customer', 'system', 'anonymous'] as const)('the actor %s prepares nothing', (type) => {
  expect(() => makerOf({ type, id: 'x' })).toThrow('prepares nothing');
});
