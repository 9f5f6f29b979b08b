import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readJson, readJsonObject } from './read-json.js';

const maxBytes = 100_000;
const read = (request: IncomingMessage) => readJson(request, { maxBytes });

const body = (content: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  Object.assign(Readable.from(content.length ? [Buffer.from(content)] : []), { headers }) as unknown as IncomingMessage;

describe('a JSON body', () => {
  it('may be empty', async () => {
    expect(await read(body('', {}))).toBeUndefined();
  });

  it('is read as UTF-8 JSON', async () => {
    expect(await read(body('{"a":"é"}', { 'content-type': 'Application/JSON; charset=utf-8' }))).toEqual({ a: 'é' });
  });

  it.each([
    '{',
    '{"a":1,}',
    'nul',
    '{"a":1}}',
    '{"__proto__":{}}',
    '{"a":{"__proto__":1}}',
    '\uFEFFx',
    '{"a":1,"a":2}',
    '{"b":[{"a":1,"\\u0061":2}]}',
    '['.repeat(21) + ']'.repeat(21),
  ])('is rejected as unreadable: %j', (text) =>
    expect(read(body(text))).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
      errors: [{ pointer: '#' }],
    }),
  );

  it('is rejected when it is not UTF-8', () =>
    expect(read(body(Buffer.from([0x22, 0xff, 0x22])))).rejects.toMatchObject({ status: 400 }));
  it('does not mistake brackets in strings for depth', async () =>
    expect(await read(body(JSON.stringify('['.repeat(100))))).toBe('['.repeat(100)));

  it.each([
    [{}],
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/jsonx' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('is rejected with headers %j', (headers) =>
    expect(read(body('{}', headers as Record<string, string>))).rejects.toMatchObject({
      code: 'unsupported_media_type',
    }),
  );

  it('has a limit, announced or not', async () => {
    const large = ' '.repeat(maxBytes + 1);
    await expect(read(body(large))).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(read(body('{}', { 'content-length': String(maxBytes + 1) }))).rejects.toMatchObject({
      code: 'payload_too_large',
    });
  });
});

describe('a JSON object', () => {
  const readObject = (request: IncomingMessage) => readJsonObject(request, { maxBytes });

  it('is {} when the body is empty', async () => expect(await readObject(body(''))).toEqual({}));
  it.each([
    '[]',
    'null',
    '1',
    '"a"',
    '{"a":1,"a":1}',
    '{"a":'.repeat(21) + '1' + '}'.repeat(21),
    '['.repeat(9000) + ']'.repeat(9000),
  ])('is rejected with 400: %.30j', (text) =>
    expect(readObject(body(text))).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
      errors: [{ pointer: '#' }],
    }),
  );

  it('needs its content type even if empty, because a form of another site cannot send it', () =>
    expect(readObject(body('', {}))).rejects.toMatchObject({ code: 'unsupported_media_type' }));
});
