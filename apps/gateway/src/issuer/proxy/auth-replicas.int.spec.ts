import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { AuthStub, GatewayStack, type Gateway } from '../../gateway-stack.fixture.js';
import { sendRequest } from '../../http-client.fixture.js';

const requestToken = (gateway: Gateway) =>
  sendRequest(gateway, 'POST', '/oauth2/token', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b');
const statuses = async (gateway: Gateway, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await requestToken(gateway)).status));

let stack: GatewayStack;
let first: AuthStub;
let second: AuthStub;
let gateway: Gateway;

beforeAll(async () => (stack = await GatewayStack.start()));
afterAll(() => stack.stop());
beforeEach(async () => {
  [first, second] = [await new AuthStub().start(), await new AuthStub().start()];
  gateway = await stack.gateway([first, second], { AUTH_TIMEOUT_SECONDS: '10' });
});
afterEach(async () => {
  await Promise.all([first.stop(), second.stop()]);
});

describe('replicas of auth', () => {
  it('all get requests', async () => {
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
    expect(first.received.length).toBeGreaterThan(0);
    expect(second.received.length).toBeGreaterThan(0);
  });

  it('fail no request while one refuses connections, and it gets requests again when it is back', async () => {
    await requestToken(gateway);
    await first.stop();
    // A request on a connection that was open when the process died may have been started, so it is not repeated.
    await eventually(async () => (await requestToken(gateway)).status === 200);
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
    await first.start();
    first.received.length = 0;
    await eventually(async () => (await requestToken(gateway)).status === 200 && first.received.length > 0, 10_000);
  });

  it('fail no request while one is stopping: requests that it has not started go to another', async () => {
    first.mode = 'stopping';
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
  });

  it('get no requests while they hang, and requests in progress there fail before the time-out', async () => {
    first.mode = 'hang';
    const first10 = await statuses(gateway, 10);
    expect(first10.every((status) => status === 200 || status === 503)).toBe(true);
    await eventually(async () => (await statuses(gateway, 4)).every((status) => status === 200), 10_000);
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
  });

  it('answer 503 with Retry-After when none is up', async () => {
    await Promise.all([first.stop(), second.stop()]);
    const { status, headers, body } = await requestToken(gateway);
    expect({ status, retryAfter: headers['retry-after'], body: JSON.parse(body) as unknown }).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { error: 'temporarily_unavailable' },
    });
    await Promise.all([first.start(), second.start()]);
    await eventually(async () => (await requestToken(gateway)).status === 200, 10_000);
  });
});
