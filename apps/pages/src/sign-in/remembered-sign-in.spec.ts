import { expect, test } from '@jest/globals';
import { rememberedSignIn } from './remembered-sign-in.ts';

const view = { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop', uri: 'https://shop.example/' } };

function storageOf(content: Map<string, string>) {
  return {
    getItem: (key: string) => content.get(key) ?? null,
    setItem: (key: string, value: string) => void content.set(key, value),
  };
}

test('find returns what was stored for the same sign-in, and undefined for another', () => {
  const storage = storageOf(new Map());
  rememberedSignIn(storage, '/o/acme/api/sign-in/u1').store(view);
  expect(rememberedSignIn(storage, '/o/acme/api/sign-in/u1').find()).toEqual(view);
  expect(rememberedSignIn(storage, '/o/acme/api/sign-in/u2').find()).toBeUndefined();
});

test.each([
  '',
  'x',
  'null',
  '[]',
  '{}',
  '{"organization":{"name":1},"app":{}}',
  '{"organization":{"shortId":"a","name":"A"},"app":{"name":null}}',
])('find returns undefined for %j', (text) => {
  expect(rememberedSignIn(storageOf(new Map([['holdfast:a', text]])), 'a').find()).toBeUndefined();
});

test('find omits an address that is not safe to follow', () => {
  const stored = JSON.stringify({ ...view, app: { name: 'Shop', uri: 'javascript:alert(1)' } });
  expect(rememberedSignIn(storageOf(new Map([['holdfast:a', stored]])), 'a').find()).toEqual({
    ...view,
    app: { name: 'Shop' },
  });
});

test('store and find do nothing when the browser denies storage', () => {
  const deny = () => {
    throw new Error('denied');
  };
  const remembered = rememberedSignIn({ getItem: deny, setItem: deny }, 'a');
  remembered.store(view);
  expect(remembered.find()).toBeUndefined();
});
