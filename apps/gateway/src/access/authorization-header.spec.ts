import { describe, expect, it } from '@jest/globals';
import { presentedToken } from './authorization-header.js';

const from = (...rawHeaders: string[]) => presentedToken({ rawHeaders });

describe('the Authorization header', () => {
  it('is "Bearer" or "DPoP", one space and a b64token', () => {
    expect(from('Authorization', 'Bearer abc.def-_~+/==')).toEqual({ scheme: 'bearer', token: 'abc.def-_~+/==' });
    expect(from('Host', 'x', 'authorization', 'bearer abc')).toEqual({ scheme: 'bearer', token: 'abc' });
    expect(from('Authorization', 'DPoP abc')).toEqual({ scheme: 'dpop', token: 'abc' });
  });

  it.each([
    ['no header', []],
    ['Basic', ['Authorization', 'Basic YTpi']],
    ['a lookalike', ['Authorization', 'Bearerabc']],
    ['another header only', ['X-Authorization', 'Bearer abc']],
  ])('answers missing_token when there is no access token: %s', (_, headers) =>
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
    'DPoP',
    'DPoP  abc',
    'DPoP abc, Bearer abc',
  ])('answers invalid_token for any other form: %j', (header) =>
    expect(() => from('Authorization', header)).toThrow(expect.objectContaining({ code: 'invalid_token' })),
  );

  it('answers invalid_token when there are two, even equal ones', () => {
    expect(() => from('Authorization', 'Bearer abc', 'authorization', 'Bearer abc')).toThrow(
      expect.objectContaining({ code: 'invalid_token' }),
    );
  });
});
