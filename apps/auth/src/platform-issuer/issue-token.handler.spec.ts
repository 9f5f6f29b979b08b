import { expect, it } from '@jest/globals';
import { RpcException } from '@nestjs/microservices';
import { testContext } from '@holdfast/testing';
import { IssueTokenHandler } from './issue-token.handler.js';

it('a replica whose clock is wrong issues no token, and does not even look at the client', async () => {
  const clock = { now: () => new Date(0), trust: () => 'wrong' as const };
  const handler = new IssueTokenHandler({} as never, {} as never, {} as never, clock);
  const input = { clientId: `app_${'a'.repeat(22)}`, secret: 'secret', network: '192.0.2.7' };
  const message = { input, context: testContext({ org: '' }), caller: 'gateway' };
  // As the transport calls it.
  const handled = (handler.handle as unknown as (message: object) => Promise<unknown>).call(handler, message);
  await expect(handled).rejects.toMatchObject({
    error: { code: 'unavailable', origin: { dependency: 'clock' } },
  });
  await expect(handled).rejects.toBeInstanceOf(RpcException);
});
