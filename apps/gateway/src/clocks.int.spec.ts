import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { AuthStub, GatewayStack, type Gateway } from './gateway-stack.fixture.js';
import { sendRequest } from './http-client.fixture.js';

const elevenMinutesMs = 660_000;
let stack: GatewayStack;
let auth: AuthStub;
let gateway: Gateway;

beforeAll(async () => {
  [stack, auth] = [await GatewayStack.start(), await new AuthStub().start()];
  gateway = await stack.gateway([auth]);
});
afterAll(async () => {
  await stack.stop();
  await auth.stop();
});
afterEach(() => void Object.assign(stack.aheadMs, { gateway: 0, audit: 0, directory: 0 }));

const requestToken = () =>
  sendRequest(gateway, 'POST', '/oauth2/token', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b');
const readiness = async () => (await fetch(`http://127.0.0.1:${gateway.service.opsPort}/readyz`)).text();

describe('a gateway whose clock is eleven minutes wrong', () => {
  it.each([elevenMinutesMs, -elevenMinutesMs])(
    '(%s ms) answers 503 and reports the offset at /readyz until its clock is right',
    async (offset) => {
      await eventually(async () => expect((await requestToken()).status).toBe(200));
      stack.aheadMs.gateway = offset;
      await eventually(async () =>
        expect(await readiness()).toMatch(
          /the clock of this machine is 6\d\d\.\d s (ahead of|behind) that of most other services\n/,
        ),
      );
      await eventually(async () => {
        const { status, headers } = await requestToken();
        expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '1' });
        const listed = await sendRequest(gateway, 'GET', '/o/acme/api/credentials/issued/subjects', {
          authorization: 'Bearer whatever.it.is',
        });
        expect([listed.status, JSON.parse(listed.body)]).toMatchObject([
          503,
          { code: 'unavailable', detail: expect.stringContaining('clock') },
        ]);
        expect([
          (await sendRequest(gateway, 'GET', '/readyz')).status,
          (await sendRequest(gateway, 'GET', '/healthz')).status,
        ]).toEqual([503, 200]);
      });
      stack.aheadMs.gateway = 0;
      await eventually(async () => expect((await requestToken()).status).toBe(200));
    },
  );
});

it('a gateway answers requests when the clock of one of two other services is wrong', async () => {
  stack.aheadMs.directory = elevenMinutesMs;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect((await requestToken()).status).toBe(200);
  expect(await readiness()).not.toContain('clock');
});
