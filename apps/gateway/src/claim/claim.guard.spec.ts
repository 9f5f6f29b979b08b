import type { ExecutionContext } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import type { GatewayConfig } from '../config.js';
import { ClaimGuard } from './claim.guard.js';

const guard = (rate = 100) => new ClaimGuard({ BASE_URL: 'https://id.example/base', CLAIM_RATE_PER_MINUTE: rate } as GatewayConfig);
const from = (origin?: string, ip = '192.0.2.1') =>
  ({ switchToHttp: () => ({ getRequest: () => ({ call: { address: ip }, headers: origin === undefined ? {} : { origin } }) }) }) as unknown as ExecutionContext;

describe('the guard of the claim routes', () => {
  it('lets our own pages in, and programs, which name no origin', () => {
    expect(guard().canActivate(from('https://id.example'))).toBe(true);
    expect(guard().canActivate(from())).toBe(true);
  });

  it.each(['https://evil.example', 'http://id.example', 'https://id.example:444', 'https://id.example.evil.example', 'null', ''])('lets no page of %j in', (origin) => {
    expect(() => guard().canActivate(from(origin))).toThrow(expect.objectContaining({ code: 'cross_site_request', status: 403 }));
  });

  it('lets nobody call too often', () => {
    const one = guard(1);
    one.canActivate(from());
    expect(() => one.canActivate(from())).toThrow(expect.objectContaining({ code: 'rate_limited', status: 429, retryAfter: 60 }));
    expect(one.canActivate(from(undefined, '192.0.2.2'))).toBe(true);
  });
});
