import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { ClaimGuard } from './claim.guard.js';

const guard = () => new ClaimGuard({ BASE_URL: 'https://id.example/base' });
const from = (origin?: string) =>
  ({
    switchToHttp: () => ({ getRequest: () => ({ headers: origin === undefined ? {} : { origin } }) }),
  }) as unknown as ExecutionContext;

describe('ClaimGuard', () => {
  it('allows requests of our own pages, and of programs, which send no origin', () => {
    expect(guard().canActivate(from('https://id.example'))).toBe(true);
    expect(guard().canActivate(from())).toBe(true);
  });

  it.each([
    'https://evil.example',
    'http://id.example',
    'https://id.example:444',
    'https://id.example.evil.example',
    'null',
    '',
  ])('denies requests with the origin %j', (origin) => {
    expect(() => guard().canActivate(from(origin))).toThrow(
      expect.objectContaining({ code: 'cross_site_request', status: 403 }),
    );
  });
});
