import { expect, it } from '@jest/globals';
import { stack } from '../clients/under-test.ts';

it('the smoke test gets a token, creates an offer, lists customers and withdraws the offer', async () => {
  const steps = ['get a token', 'create an offer', 'list customers', 'withdraw the offer'];
  expect(await stack.operator('smoke', '--gateway', stack.baseUrl)).toEqual({ steps });
  expect(await stack.operator('smoke', '--gateway', stack.baseUrl)).toEqual({ steps });
});

it('the smoke test names the step that failed when no gateway responds', async () => {
  await expect(stack.operator('smoke', '--gateway', 'http://127.0.0.1:1')).rejects.toThrow('Could not get a token');
});
