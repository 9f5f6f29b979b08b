import type { ExecutionContext } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import { PresenceGuard } from './presence.guard.js';

it('lets nobody ask too often, and says of every answer that it is for one origin', () => {
  const guard = new PresenceGuard({ PRESENCE_RATE_PER_MINUTE: 1 });
  const headers: [string, string][] = [];
  const from = (ip: string) =>
    ({ switchToHttp: () => ({ getRequest: () => ({ call: { address: ip } }), getResponse: () => ({ header: (...header: [string, string]) => void headers.push(header) }) }) }) as unknown as ExecutionContext;
  expect(guard.canActivate(from('192.0.2.1'))).toBe(true);
  expect(() => guard.canActivate(from('192.0.2.1'))).toThrow(expect.objectContaining({ code: 'rate_limited', status: 429, retryAfter: 60 }));
  expect(guard.canActivate(from('192.0.2.2'))).toBe(true);
  expect(headers).toEqual([['vary', 'Origin'], ['vary', 'Origin'], ['vary', 'Origin']]);
});
