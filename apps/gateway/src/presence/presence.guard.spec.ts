import { expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { PresenceGuard } from './presence.guard.js';

it('adds Vary: Origin to every response', () => {
  const headers: [string, string][] = [];
  const context = {
    switchToHttp: () => ({
      getResponse: () => ({ header: (...header: [string, string]) => void headers.push(header) }),
    }),
  } as unknown as ExecutionContext;
  expect(new PresenceGuard().canActivate(context)).toBe(true);
  expect(headers).toEqual([['vary', 'Origin']]);
});
