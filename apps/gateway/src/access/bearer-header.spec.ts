import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { bearerToken } from './bearer-header.js';

const from = (...rawHeaders: string[]) => bearerToken({ rawHeaders } as IncomingMessage);

describe('the Authorization header', () => {
  it('is "Bearer", one space and a b64token', () => {
    expect(from('Authorization', 'Bearer abc.def-_~+/==')).toBe('abc.def-_~+/==');
    expect(from('Host', 'x', 'authorization', 'bearer abc')).toBe('abc');
  });

  it.each([
    ['', []],
    ['Basic', ['Authorization', 'Basic YTpi']],
    ['a lookalike', ['Authorization', 'Bearerabc']],
    ['only another header', ['X-Authorization', 'Bearer abc']],
  ])('asks for a token when there is none: %s', (_, headers) =>
    expect(() => from(...headers)).toThrow(expect.objectContaining({ code: 'missing_token' })),
  );

  it.each([
    'Bearer\tabc',
    'Bearer  abc',
    'Bearer abc def',
    'Bearer abc,def',
    'Bearer ',
    'Bearer',
    'Bearer =abc',
    'Bearer abc=d',
    'Bearer "abc"',
    'Bearer abc\u00e9',
  ])('refuses any other form: %j', (header) =>
    expect(() => from('Authorization', header)).toThrow(expect.objectContaining({ code: 'invalid_token' })),
  );

  it('refuses two of them, however good', () => {
    expect(() => from('Authorization', 'Bearer abc', 'authorization', 'Bearer abc')).toThrow(
      expect.objectContaining({ code: 'invalid_token' }),
    );
  });
});
