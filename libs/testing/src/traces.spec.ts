import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { guessable, traces, tracesIn } from './traces.js';

const id = randomUUID();
const salt = randomBytes(16);
const hash = createHash('sha256').update(salt).update(id).digest();
const bytes = (given: Buffer) => `\\x${given.toString('hex')}`;

describe('traces', () => {
  it.each([
    ['as it is', `(acme,${id})`],
    ['without its dashes', `x${id.replaceAll('-', '')}y`],
    ['in bytes', `(${bytes(Buffer.from(`{"id":"${id}"}`))})`],
    ['as 16 bytes', `(${bytes(Buffer.from(id.replaceAll('-', ''), 'hex'))})`],
    ['in base64', `(${Buffer.from(`..${id}..`).toString('base64')})`],
    [
      'in base64url of bytes, in bytes',
      `(${bytes(Buffer.from(Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')))})`,
    ],
  ])('are found %s', (_, text) => expect(traces(`before ${text} after`, [id])).not.toEqual([]));

  it('are not found of another value', () =>
    expect(traces(`(${id})${bytes(Buffer.from(id))}`, [randomUUID()])).toEqual([]));
});

describe('traces in a file', () => {
  it.each([
    ['as text', Buffer.from(`..${id}..`)],
    ['as its 16 bytes', Buffer.concat([randomBytes(7), Buffer.from(id.replaceAll('-', ''), 'hex'), randomBytes(3)])],
    ['as text in base64', Buffer.from(Buffer.from(`.${id}`).toString('base64'))],
    ['as text in hexadecimal', Buffer.from(Buffer.from(id).toString('hex'))],
  ])('are found %s', (_, file) => {
    expect(tracesIn(file, [id])).not.toEqual([]);
    expect(tracesIn(file, [randomUUID()])).toEqual([]);
  });
});

describe('a guess', () => {
  it.each([
    ['a pseudonym', `(acme,${hash.toString('base64url', 0, 16)},kept)`],
    ['a list of pseudonyms', `{abc,${hash.toString('base64url', 0, 16)}}`],
    ['bytes', `(acme,${bytes(hash)})`],
    ['a leaf', `(${bytes(Buffer.from(JSON.stringify({ personal: { address: hash.toString('base64url') } })))})`],
    ['base64', `("${hash.toString('base64')}")`],
  ])('is confirmed by a hash in %s, with the salt beside it', (_, text) => {
    expect(guessable(`${text}\n(${bytes(salt)})`, [id, randomUUID()])).toEqual([id]);
    expect(guessable(text, [id])).toEqual([]);
  });
});
