import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { contracts } from '@holdfast/contracts';
import { stripUnknownMembers } from './strip-unknown-members.js';

const reply = z.strictObject({
  items: z.array(z.strictObject({ id: z.uuid(), note: z.string().optional() })),
  next: z.strictObject({ seq: z.int() }).nullable(),
  loose: z.looseObject({ a: z.int() }),
  either: z.union([z.strictObject({ kind: z.literal('a') }), z.strictObject({ kind: z.literal('b') })]),
});
const id = '00000000-0000-4000-8000-000000000001';
const fits = { items: [{ id }], next: { seq: 1 }, loose: { a: 1, b: 2 }, either: { kind: 'b' } };

test('removes unknown members at any depth', () => {
  const newer = {
    ...fits,
    added: 1,
    items: [{ id, added: 1 }],
    next: { seq: 1, added: 1 },
    either: { kind: 'b', added: 1 },
  };
  expect(reply.safeParse(newer).success).toBe(false);
  expect(stripUnknownMembers(reply).parse(newer)).toEqual(fits);
});

test.each([
  ['a missing member', { ...fits, items: undefined }],
  ['a member of another type', { ...fits, next: { seq: 'x' } }],
  ['a member of another format', { ...fits, items: [{ id: 'x' }] }],
  ['no alternative that fits', { ...fits, either: { kind: 'c' } }],
  ['no object', []],
])('rejects %s', (_, value) => {
  expect(stripUnknownMembers(reply).safeParse(value).success).toBe(false);
});

test('accepts an unknown member in the reply of every contract', () => {
  const refused = contracts.flatMap(({ subject, reply: schema }) => {
    const issues = stripUnknownMembers(schema).safeParse({ 'a member of the future': 1 }).error?.issues ?? [];
    return issues.some((issue) => issue.code === 'unrecognized_keys') ? [subject] : [];
  });
  expect(refused).toEqual([]);
});
