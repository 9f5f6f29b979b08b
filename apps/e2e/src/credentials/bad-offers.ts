import type { OutgoingHttpHeaders } from 'node:http';

interface BadOffer {
  name: string;
  status: number | number[];
  code?: string;
  pointer?: string;
  json?: unknown;
  body?: string | Buffer;
  headers?: OutgoingHttpHeaders;
  chunked?: boolean;
}

const json = { 'content-type': 'application/json' };
const raw = (name: string, body: string | Buffer, overrides: Partial<BadOffer> = {}): BadOffer => ({
  name,
  status: 400,
  headers: json,
  body,
  ...overrides,
});
const member = (name: string, value: unknown, overrides: Partial<BadOffer> = {}): BadOffer => ({
  name: `${name}: ${JSON.stringify(value).slice(0, 60)}`,
  status: 422,
  pointer: `#/${name}`,
  json: { [name]: value },
  ...overrides,
});
const unknown = (text: string, pointer: string): BadOffer =>
  raw(`the unknown member ${text}`, text, { status: [400, 422], pointer });
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

// One second is too short even for this stack. A unit test covers the minimum of production, 600 seconds.
const notNumbers = [
  '600',
  '',
  1,
  0,
  -1,
  -600,
  600.5,
  2_592_001,
  1e21,
  9_007_199_254_740_992,
  null,
  true,
  false,
  [],
  [600],
  {},
  { value: 600 },
];
const notTimes = [
  'tomorrow',
  '',
  '2031-01-01',
  '2031-01-01T00:00:00',
  '2031-02-30T00:00:00Z',
  '2031-13-01T00:00:00Z',
  '2031-01-01 00:00:00Z',
  '2020-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '99999-01-01T00:00:00Z',
  1_900_000_000,
  null,
  true,
  [],
  {},
];
const notNames = [
  '',
  ' customer',
  'Customer',
  'cus tomer',
  '-customer',
  '1customer',
  'c'.repeat(64),
  'c'.repeat(5000),
  "customer'--",
  'customer\0',
  null,
  1,
  true,
  [],
  ['customer'],
  {},
];
const notSubjects = [
  '',
  'x',
  '1234',
  '00000000-0000-0000-0000-00000000000',
  '00000000-0000-0000-0000-0000000000000',
  '{00000000-0000-0000-0000-000000000000}',
  ' 00000000-0000-0000-0000-000000000000',
  null,
  1,
  [],
  {},
];
const notUrls = [
  '',
  'x',
  'https://',
  'https://x.example/\ud800',
  `https://x.example/${'a'.repeat(3000)}`,
  null,
  1,
  true,
  [],
  {},
  ['https://shop.example/other'],
];

/** Bodies that must be rejected. `pointer` is the member that the response must point at. */
export const badOffers: BadOffer[] = [
  ...notNumbers.map((value) => member('offerExpiresIn', value)),
  ...notTimes.map((value) => member('validUntil', value)),
  ...notNames.map((value) => member('credentialType', value)),
  ...notSubjects.map((value) => member('subject', value)),
  ...notUrls.map((value) => member('returnUrl', value)),
  ...['unknown', 'constructor', 'tostring', 'null'].map((value) =>
    member('credentialType', value, { code: 'unknown_credential_type' }),
  ),
  member('validUntil', new Date(Date.now() + 3_600_000).toISOString(), {
    name: 'validUntil before the expiration of the offer',
  }),
  {
    name: 'validUntil before the expiration of a long offer',
    status: 422,
    pointer: '#/validUntil',
    json: { offerExpiresIn: 2_592_000, validUntil: new Date(Date.now() + 86_400_000).toISOString() },
  },

  ...[
    'email',
    'name',
    'address',
    'org',
    'app',
    'client_id',
    'clientId',
    'status',
    'claimed',
    'credentialtype',
    'idempotencyKey',
    'id',
    'actor',
  ].map((name) => member(name, 'x')),
  member('email', null, { name: 'an unknown member that is null' }),
  unknown('{"":1}', '#/'),
  unknown('{"a/b":1}', '#/a~1b'),
  unknown('{"a~b":1}', '#/a~0b'),
  unknown('{"a b":1}', '#/a%20b'),
  unknown('{"ü":1}', '#/%C3%BC'),
  unknown('{"constructor":{"prototype":{"admin":true}}}', '#/constructor'),
  unknown('{"toString":1}', '#/toString'),
  unknown('{"hasOwnProperty":1}', '#/hasOwnProperty'),
  unknown('{"__defineGetter__":1}', '#/__defineGetter__'),
  raw('a __proto__ member', '{"__proto__":{"admin":true}}', { status: [400, 422] }),
  raw('a __proto__ member with escapes', '{"\\u005f_proto__":{"offerExpiresIn":600}}', { status: [400, 422] }),
  raw('a __proto__ member inside a member', '{"validUntil":{"__proto__":{}}}', { status: [400, 422] }),
  raw('a member with a zero byte', '{"\\u0000":1}', { status: [400, 422] }),
  raw('a member that is a lone surrogate', '{"\\ud800":1}', { status: [400, 422] }),

  raw('a member twice', '{"offerExpiresIn":600,"offerExpiresIn":700}'),
  raw('a member twice with the same value', '{"offerExpiresIn":600,"offerExpiresIn":600}'),
  raw('a member twice, once with escapes', '{"offerExpiresIn":600,"offer\\u0045xpiresIn":700}'),
  raw('an unknown member twice', '{"a":{"b":1,"b":2}}'),

  ...['null', '[]', '[{}]', '"x"', '""', '0', '1', 'true', 'false'].map((text) =>
    raw(`${text} instead of an object`, text, { status: [400, 422], pointer: '#' }),
  ),
  ...[
    '{',
    '}',
    '{}}',
    '{}{}',
    '{},',
    "{'a':1}",
    '{a:1}',
    '{"offerExpiresIn":600,}',
    '{"offerExpiresIn":0600}',
    '{"offerExpiresIn":+600}',
    '{"offerExpiresIn":0x258}',
    '{"offerExpiresIn":NaN}',
    '{"offerExpiresIn":Infinity}',
    '// x\n{}',
    '{"a":"\n"}',
    'undefined',
    ' ',
    'offerExpiresIn=600',
    '<a/>',
  ].map((text) => raw(`invalid JSON: ${JSON.stringify(text)}`, text, { pointer: '#' })),
  raw('deeply nested arrays', nested(40_000, '[', ']'), { pointer: '#' }),
  raw('deeply nested objects', `${'{"a":'.repeat(15_000)}1${'}'.repeat(15_000)}`, { pointer: '#' }),
  raw('unclosed arrays', '['.repeat(90_000), { pointer: '#' }),
  raw('deep nesting in a known member', `{"validUntil":${nested(30, '[', ']')}}`, { status: [400, 422] }),

  raw('Latin-1', Buffer.from('{"name":"\xfc"}', 'latin1'), { pointer: '#' }),
  raw(
    'an overlong zero byte',
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
    { pointer: '#' },
  ),
  raw(
    'a lone surrogate in UTF-8',
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    { pointer: '#' },
  ),
  raw('UTF-16', Buffer.from('{}', 'utf16le'), { pointer: '#' }),
  raw('binary', Buffer.from([0, 255, 254, 1, 2, 3]), { pointer: '#' }),

  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/problem+json',
    'application/jsonp',
    'application/json-patch+json',
    'json',
    '*/*',
    'text/json',
    'application/xml',
  ].map((type) =>
    raw(`content type ${type}`, '{}', {
      status: 415,
      code: 'unsupported_media_type',
      headers: { 'content-type': type },
    }),
  ),
  raw('no content type', '{}', { status: 415, code: 'unsupported_media_type', headers: {} }),
  raw('a compressed body', '{}', {
    status: 415,
    code: 'unsupported_media_type',
    headers: { ...json, 'content-encoding': 'gzip' },
  }),
  raw('a megabyte', `{"name":"${'a'.repeat(1_000_000)}"}`, { status: 413, code: 'payload_too_large' }),
  raw('a megabyte without a length', `{"name":"${'a'.repeat(1_000_000)}"}`, {
    status: 413,
    code: 'payload_too_large',
    chunked: true,
  }),
  raw('a megabyte of spaces', ' '.repeat(1_000_000), { status: 413, code: 'payload_too_large' }),
];
