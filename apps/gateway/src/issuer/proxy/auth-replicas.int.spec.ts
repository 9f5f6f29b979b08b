import dns from 'node:dns/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, TestAuthority } from '@holdfast/testing';
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
    await eventually(async () => (await requestToken(gateway)).status === 200 && first.received.length > 0);
  });

  it('fail no request while one is stopping: requests that it has not started go to another', async () => {
    first.mode = 'stopping';
    expect(new Set(await statuses(gateway, 20))).toEqual(new Set([200]));
  });

  it('get no requests while they hang, and requests in progress there fail before the time-out', async () => {
    first.mode = 'hang';
    const first10 = await statuses(gateway, 10);
    expect(first10.every((status) => status === 200 || status === 503)).toBe(true);
    await eventually(async () => (await statuses(gateway, 4)).every((status) => status === 200));
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
    await eventually(async () => (await requestToken(gateway)).status === 200);
  });
});

describe('replicas of auth with mutual TLS', () => {
  it('get requests over connections whose certificates both sides have verified', async () => {
    const authority = await TestAuthority.create();
    const [served, own] = [await authority.issue('localhost'), await authority.issue('gateway')];
    const secured = await new AuthStub({ ...served, clientCaFile: authority.caFile }).start();
    const files = { AUTH_CA_FILE: authority.caFile, AUTH_CERT_FILE: own.certFile, AUTH_KEY_FILE: own.keyFile };
    const verified = await stack.gateway([secured], files);
    expect((await requestToken(verified)).status).toBe(200);
    expect(secured.received).toMatchObject([{ headers: { host: 'id.example' } }]);

    const { AUTH_CA_FILE, ...withoutCa } = files;
    expect((await requestToken(await stack.gateway([secured], withoutCa))).status).toBe(503);
    expect((await requestToken(await stack.gateway([secured], { AUTH_CA_FILE }))).status).toBe(503);
    const other = await TestAuthority.create();
    expect((await requestToken(await stack.gateway([secured], { ...files, AUTH_CA_FILE: other.caFile }))).status).toBe(
      503,
    );
    expect(secured.received).toHaveLength(1);
    await secured.stop();
  });
});

describe('replicas of auth behind one name', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('all get requests, also those that appear later, and none after its address is gone', async () => {
    let addresses = ['127.0.0.1'];
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation((() => Promise.resolve(addresses.map((address) => ({ address, family: 4 })))) as never);
    const third = await new AuthStub(undefined, '127.0.0.2').start(first.port);
    const named = await stack.gateway([first], { AUTH_URLS: `http://auth.example:${first.port}` });
    expect(new Set(await statuses(named, 10))).toEqual(new Set([200]));
    expect([first.received.length, third.received.length]).toEqual([10, 0]);

    addresses = ['127.0.0.1', '127.0.0.2'];
    await eventually(async () => (await requestToken(named)).status === 200 && third.received.length > 0);

    addresses = ['127.0.0.2'];
    await eventually(async () => {
      first.received.length = 0;
      expect(new Set(await statuses(named, 4))).toEqual(new Set([200]));
      expect(first.received).toEqual([]);
    });
    await third.stop();
  });
});
