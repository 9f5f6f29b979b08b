import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { bodyLimit, readJson } from './json-body.js';

const body = (content: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  Object.assign(Readable.from(content.length ? [Buffer.from(content)] : []), { headers }) as unknown as IncomingMessage;

describe('a JSON body', () => {
  it('may be missing or empty', async () => {
    expect(await readJson(undefined)).toBeUndefined();
    expect(await readJson(body('', {}))).toBeUndefined();
  });

  it('is read as UTF-8 JSON', async () => {
    expect(await readJson(body('{"a":"é"}', { 'content-type': 'Application/JSON; charset=utf-8' }))).toEqual({ a: 'é' });
  });

  it.each(['{', '{"a":1,}', 'nul', '{"a":1}}', '{"__proto__":{}}', '{"a":{"__proto__":1}}', '\uFEFFx', '{"a":1,"a":2}', '{"b":[{"a":1,"\\u0061":2}]}', '['.repeat(21) + ']'.repeat(21)])(
    'is refused as unreadable: %j',
    (text) => expect(readJson(body(text))).rejects.toMatchObject({ code: 'invalid_request', status: 400, errors: [{ pointer: '#' }] }),
  );

  it('is refused when it is not UTF-8', () => expect(readJson(body(Buffer.from([0x22, 0xff, 0x22])))).rejects.toMatchObject({ status: 400 }));
  it('does not mistake brackets in strings for depth', async () => expect(await readJson(body(JSON.stringify('['.repeat(100))))).toBe('['.repeat(100)));

  it.each([[{}], [{ 'content-type': 'text/plain' }], [{ 'content-type': 'application/jsonx' }], [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }]])(
    'is refused with headers %j',
    (headers) => expect(readJson(body('{}', headers as Record<string, string>))).rejects.toMatchObject({ code: 'unsupported_media_type' }),
  );

  it('has a limit, announced or not', async () => {
    const large = ' '.repeat(bodyLimit + 1);
    await expect(readJson(body(large))).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(readJson(body('{}', { 'content-length': String(bodyLimit + 1) }))).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
