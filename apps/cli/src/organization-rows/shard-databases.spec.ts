import { afterEach, expect, test } from '@jest/globals';
import { shardDatabases } from './shard-databases.js';

afterEach(() => void delete process.env.SHARD_DATABASE_URLS);

const databases = (text: string) => {
  process.env.SHARD_DATABASE_URLS = text;
  return shardDatabases();
};

test('a service without a database of its own has that of its shard', () => {
  const eu2 = databases('main=postgresql://m/h; eu2=postgresql://e/h;eu2.audit=postgresql://a/h').of('eu2');
  expect(eu2).toMatchObject({ issuance: 'postgresql://e/h', audit: 'postgresql://a/h' });
});

test.each([
  ['a shard twice', 'main=postgresql://m/h;eu2=postgresql://e/h;eu2=postgresql://other/h'],
  ['a service of a shard twice', 'main=postgresql://m/h;main.audit=postgresql://a/h;main.audit=postgresql://b/h'],
  ['no address', 'main='],
  ['a name in capitals', 'MAIN=postgresql://m/h'],
])('%s is refused with what to set', (_, text) => {
  expect(() => databases(text)).toThrow('Set SHARD_DATABASE_URLS to the databases of all shards');
});

test('a shard without an address is refused with the services that lack one', () => {
  expect(() => databases('main=postgresql://m/h').of('eu2')).toThrow(
    'no database of issuance, subjects, audit, signals',
  );
});
