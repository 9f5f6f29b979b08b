import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { UserHandles } from './user-handle.js';

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const customers = new UserHandles({ KEY_ENCRYPTION_KEY: first }, 'customers');

it('a user handle has 32 bytes, is new each time, and is known in its organization', () => {
  const handles = Array.from({ length: 50 }, () => customers.create('acme'));
  expect(new Set(handles.map((handle) => handle.toString('hex'))).size).toBe(50);
  for (const handle of handles) {
    expect(handle).toHaveLength(32);
    expect(customers.isOurs('acme', handle)).toBe(true);
  }
});

it('a user handle of another organization, of people, of another deployment or of nobody is not ours', () => {
  const handle = customers.create('acme');
  expect(customers.isOurs('globex', handle)).toBe(false);
  expect(new UserHandles({ KEY_ENCRYPTION_KEY: first }, 'people').isOurs('acme', handle)).toBe(false);
  expect(new UserHandles({ KEY_ENCRYPTION_KEY: second }, 'customers').isOurs('acme', handle)).toBe(false);
  for (const other of [randomBytes(32), handle.subarray(0, 31), Buffer.concat([handle, Buffer.alloc(1)])])
    expect(customers.isOurs('acme', other)).toBe(false);
});

it('a user handle is known while a rotation keeps its key', () => {
  const handle = customers.create('acme');
  const rotated = (current: Buffer, previous: Buffer) =>
    new UserHandles({ KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: previous }, 'customers');
  expect(rotated(second, first).isOurs('acme', handle)).toBe(true);
  expect(rotated(third, second).isOurs('acme', handle)).toBe(false);
});
