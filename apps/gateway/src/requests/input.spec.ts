import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { z } from 'zod';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { limitParameter, type Endpoint } from '@holdfast/contracts/http';
import { ENDPOINT } from '../endpoints/route.js';
import { readInput } from './input.js';

interface Given {
  params?: object;
  query?: object;
  body?: string;
  contentType?: string;
  headers?: Record<string, string>;
  rawHeaders?: string[];
}

const declared: Partial<Endpoint> = {
  params: z.strictObject({ id: z.uuid() }),
  query: z.strictObject({ limit: limitParameter }),
  body: z.strictObject({ reason: z.string().max(5).optional() }),
  idempotent: true,
};
const id = '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01';

function read(
  { params = { id }, query = {}, body, contentType = 'application/json', headers = {}, rawHeaders }: Given = {},
  endpoint: Partial<Endpoint> = declared,
  needsStepUp = false,
) {
  const stream =
    body === undefined
      ? undefined
      : Object.assign(Readable.from([Buffer.from(body)]), { headers: { 'content-type': contentType } });
  const request = {
    params,
    query,
    headers,
    raw: { rawHeaders: rawHeaders ?? Object.entries(headers).flat() },
    body: stream as unknown as IncomingMessage | undefined,
    requestContext: { claims: { scope: 'offers:write' } as AccessTokenClaims, needsStepUp },
  };
  const handler = () => undefined;
  Reflect.defineMetadata(ENDPOINT, endpoint, handler);
  const context = { getHandler: () => handler, switchToHttp: () => ({ getRequest: () => request }) };
  return readInput(context as unknown as ExecutionContext);
}

describe('the input of an endpoint', () => {
  it('is parsed by the schemas of the declaration', async () => {
    expect(await read({ query: { limit: '7' }, body: '{"reason":"lost"}' })).toEqual({
      params: { id },
      query: { limit: 7 },
      body: { reason: 'lost' },
    });
  });

  it('is refused when this body needs a more recent sign-in of the person', async () => {
    const endpoint = { ...declared, stepUp: (body: unknown) => (body as { reason?: string }).reason === 'roles' };
    await expect(read({ body: '{"reason":"roles"}' }, endpoint, true)).rejects.toMatchObject({
      code: 'step_up_required',
    });
    expect(await read({ body: '{"reason":"roles"}' }, endpoint)).toMatchObject({ body: { reason: 'roles' } });
    expect(await read({ body: '{"reason":"name"}' }, endpoint, true)).toMatchObject({ body: { reason: 'name' } });
  });

  it('has an empty body when none is sent', async () => {
    expect(await read()).toMatchObject({ query: { limit: 50 }, body: {} });
  });

  it.each(['0', '201', '1000', '-1', '1.5', '01', 'many', ''])('is 400 for the limit %j', async (limit) => {
    await expect(read({ query: { limit } })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
      errors: [{ parameter: 'limit', detail: 'must be a whole number from 1 to 200' }],
    });
  });

  it.each<[string, Given, object]>([
    ['an invalid path parameter', { params: { id: 'x' } }, { parameter: 'id' }],
    ['an unknown query parameter', { query: { page: '2' } }, { parameter: 'page' }],
  ])('is 400 for %s', async (_, given, issue) => {
    await expect(read(given)).rejects.toMatchObject({ status: 400, errors: [expect.objectContaining(issue)] });
  });

  it('is 400 for a query parameter of an endpoint that has none', async () => {
    await expect(read({ params: {}, query: { a: '1' } }, {})).rejects.toMatchObject({
      status: 400,
      errors: [{ parameter: 'a', detail: 'is not a known parameter' }],
    });
  });

  it('is 400 for a body that cannot be parsed, and 422 for one that is invalid', async () => {
    await expect(read({ body: '{' })).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    await expect(read({ body: '{"reason":"too long"}' })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 422,
      errors: [expect.objectContaining({ pointer: '#/reason' })],
    });
  });

  it('requires the scope of the body before it validates anything else', async () => {
    const bodyOperation = () => ({ operation: 'issued:manage' as const });
    await expect(
      read({ query: { limit: '0' }, body: '{"no":1}' }, { ...declared, bodyOperation }),
    ).rejects.toMatchObject({ code: 'insufficient_scope', scope: 'issued:manage' });
  });
});

describe('a patch', () => {
  const patch: Partial<Endpoint> = { ...declared, method: 'PATCH', versioned: true };
  const ifVersionsOf = async (value: string, endpoint = patch) =>
    (await read({ headers: { 'if-match': value } }, endpoint)).ifVersions;

  it.each<[Endpoint['method'], string, boolean]>([
    ['PATCH', 'application/merge-patch+json', true],
    ['PATCH', 'application/json', true],
    ['PATCH', 'application/json-patch+json', false],
    ['POST', 'application/merge-patch+json', false],
  ])('%s as %s is read: %s', async (method, type, isRead) => {
    const reading = read({ body: '{"reason":"lost"}', contentType: type }, { ...patch, method });
    if (isRead) expect(await reading).toMatchObject({ body: { reason: 'lost' } });
    else await expect(reading).rejects.toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each<[string, number[] | undefined]>([
    ['"3"', [3]],
    ['"3", "12"', [3, 12]],
    [' * ', undefined],
    ['W/"3"', []],
    ['"of-another-server"', []],
    ['""', []],
  ])('with If-Match %s means the versions %j', async (value, versions) => {
    expect(await ifVersionsOf(value)).toEqual(versions);
  });

  it.each(['3', "'3'", '"3', '"3" "4"', '"3",', '', Array(21).fill('"1"').join(',')])(
    'is 400 for If-Match %j',
    async (value) => {
      await expect(ifVersionsOf(value)).rejects.toMatchObject({ status: 400, errors: [{ header: 'If-Match' }] });
    },
  );

  it('without versions, or a read, does not look at If-Match', async () => {
    expect(await ifVersionsOf('3', declared)).toBeUndefined();
    expect(await ifVersionsOf('3', { ...patch, method: 'GET' })).toBeUndefined();
  });
});

describe('the Idempotency-Key', () => {
  const keyOf = async (key: string) => (await read({ headers: { 'idempotency-key': key } })).idempotencyKey;

  it.each([
    ['order-1', 'order-1'],
    ['"order-1"', 'order-1'],
    [String.raw`"a \"b\" \\c"`, String.raw`a "b" \c`],
  ])('of the header %s is %s', async (header, key) => {
    expect(await keyOf(header)).toBe(key);
  });

  it.each(['', '""', ' ', 'ä', 'a\tb', 'x'.repeat(256)])('is 400 for %j', async (header) => {
    await expect(keyOf(header)).rejects.toMatchObject({
      status: 400,
      errors: [expect.objectContaining({ header: 'Idempotency-Key' })],
    });
  });

  it('is 400 when it is sent twice', async () => {
    const headers = { 'idempotency-key': 'a' };
    const rawHeaders = ['Idempotency-Key', 'a', 'idempotency-key', 'a'];
    await expect(read({ headers, rawHeaders })).rejects.toMatchObject({ status: 400 });
  });

  it('is ignored by endpoints that do not take one', async () => {
    const given = { params: {}, headers: { 'idempotency-key': 'a' } };
    expect(await read(given, {})).toEqual({ params: {}, query: {}, body: undefined });
  });
});
