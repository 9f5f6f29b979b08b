import { beforeEach, expect, test } from '@jest/globals';
import { draftOf } from './draft.ts';

const initial = { name: '', kind: 'web', operations: [] as string[] };
let content: Map<string, string>;
const storage = {
  getItem: (key: string) => content.get(key) ?? null,
  setItem: (key: string, value: string) => void content.set(key, value),
  removeItem: (key: string) => void content.delete(key),
};
beforeEach(() => void (content = new Map()));

test('a draft returns what was stored, until it is cleared', () => {
  const values = { name: 'Shop', kind: 'service', operations: ['audit:read'] };
  const draft = draftOf(storage, 'new-app', initial);
  draft.store(values);
  expect(draftOf(storage, 'new-app', initial).read()).toEqual(values);
  expect(draftOf(storage, 'other', initial).read()).toEqual(initial);
  draft.clear();
  expect(draft.read()).toEqual(initial);
});

test.each(['', 'x', 'null', '[]', '7', '{"name":7,"operations":"all"}', '{"operations":[1]}'])(
  'a draft that was stored as %j has the initial values',
  (text) => {
    content.set('holdfast:draft:new-app', text);
    expect(draftOf(storage, 'new-app', initial).read()).toEqual(initial);
  },
);

test('without storage a draft does nothing', () => {
  const deny = () => {
    throw new Error('denied');
  };
  const draft = draftOf({ getItem: deny, setItem: deny, removeItem: deny }, 'new-app', initial);
  draft.store(initial);
  draft.clear();
  expect(draft.read()).toEqual(initial);
});
