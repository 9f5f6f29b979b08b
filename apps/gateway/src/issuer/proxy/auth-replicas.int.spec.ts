import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { AuthStub, GatewayStack, sendRequest, type Gateway } from '../../gateway-stack.fixture.js';

const ask = (gateway: Gateway) =>
  sendRequest(gateway, 'POST', '/oauth2/token', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b');
const statuses = async (gateway: Gateway, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await ask(gateway)).status));

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

  it('that refuse connections cost nobody anything, and get requests again when they are back', async () => {
    await ask(gateway);
    await first.stop();
    // A request on a connection that was open when the process died may have been begun, so it is not repeated.
    await eventually(async () => (await ask(gateway)).status === 200);
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
    await first.start();
    first.received.length = 0;
    await eventually(async () => (await ask(gateway)).status === 200 && first.received.length > 0, 10_000);
  });

  it('that stop cost nobody anything: what they did not begin goes to another', async () => {
    first.mode = 'stopping';
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
  });

  it('that hang are left out, and whoever was waiting for them is told before the time-out', async () => {
    first.mode = 'hang';
    const began = await statuses(gateway, 10);
    expect(began.every((status) => status === 200 || status === 503)).toBe(true);
    await eventually(async () => (await statuses(gateway, 4)).every((status) => status === 200), 10_000);
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
  });

  it('are unavailable with Retry-After when none is up', async () => {
    await Promise.all([first.stop(), second.stop()]);
    const { status, headers, body } = await ask(gateway);
    expect({ status, later: headers['retry-after'], body: JSON.parse(body) as unknown }).toMatchObject({
      status: 503,
      later: '1',
      body: { error: 'temporarily_unavailable' },
    });
    await Promise.all([first.start(), second.start()]);
    await eventually(async () => (await ask(gateway)).status === 200, 10_000);
  });
});
