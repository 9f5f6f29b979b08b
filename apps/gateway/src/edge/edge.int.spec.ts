import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { AuthStub, counted, GatewayStack, RawClient, sendRequest, type Gateway } from '../gateway-stack.fixture.js';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const body = 'grant_type=client_credentials';
const token = (gateway: Gateway, headers: Record<string, string> = {}) =>
  sendRequest(gateway, 'POST', '/oauth2/token', { ...form, ...headers }, body);
const uid = 'A'.repeat(21);

let stack: GatewayStack;
let auth: AuthStub;
let gateway: Gateway;
let clients: RawClient[] = [];

function raw(bytes: string, to = gateway): RawClient {
  const client = new RawClient(to, bytes);
  clients.push(client);
  return client;
}

const countOf = (code: string) =>
  [...counted.values()].filter((r) => r.outcome.code === code).reduce((sum, r) => sum + (r.outcome.count ?? 0), 0);

beforeAll(async () => {
  stack = await GatewayStack.start();
  auth = await new AuthStub().start();
  gateway = await stack.gateway([auth], {
    AUTH_MAX_CONNECTIONS: '4',
    HTTP_HEADERS_TIMEOUT_SECONDS: '1',
    HTTP_BODY_TIMEOUT_SECONDS: '2',
  });
});
afterAll(async () => {
  await stack.stop();
  await auth.stop();
});
beforeEach(() => {
  auth.received.length = 0;
  counted.clear();
});
afterEach(() => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
});

describe('senders that stop in the middle', () => {
  it('of a body hold no connection to auth, and lose theirs with 408', async () => {
    for (let i = 0; i < 150; i += 1)
      raw(
        `POST /oauth2/token HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eDp5\r\nContent-Type: ${form['content-type']}\r\nContent-Length: 100\r\n\r\ngrant`,
      );
    await eventually(() => clients.every(({ socket }) => socket.bytesWritten > 0));
    expect((await token(gateway)).status).toBe(200);
    expect(auth.received).toHaveLength(1);
    await eventually(() => clients.every(({ closed }) => closed), 20_000);
    for (const { text } of clients) expect(text).toMatch(/^HTTP\/1\.1 408 [^]*"error":"invalid_request"/);
  });

  it.each(['', 'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nX-A'])(
    'of the headers lose their connection: %j',
    async (bytes) => {
      const client = raw(bytes);
      await eventually(() => client.closed, 20_000);
      expect(client.text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
    },
  );

  it('and leave are recorded as clients that closed the request, not as an error of ours', async () => {
    const client = raw(
      'POST /o/acme/api/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await eventually(() => client.socket.bytesWritten > 0);
    setTimeout(() => client.socket.resetAndDestroy(), 200);
    await eventually(() => countOf('client_closed_request') === 1);
    expect([...counted.values()]).toMatchObject([{ outcome: { result: 'failure', status: 499 } }]);
  });
});

describe('headers of a client', () => {
  it.each([
    ['expect', '100-continue'],
    ['expect', 'something'],
    ['keep-alive', 'timeout=5'],
    ['te', 'trailers'],
    ['proxy-connection', 'keep-alive'],
    ['proxy-authorization', 'x'],
    ['upgrade', 'websocket'],
  ])('about its own connection go no further: %s: %s', async (name, value) => {
    const { status, headers } = await token(gateway, { [name]: value });
    expect({ status, keepAlive: headers['keep-alive'] }).not.toMatchObject({ keepAlive: 'timeout=99' });
    expect(status).toBe(200);
    expect(auth.received).toMatchObject([{ body }]);
    expect(auth.received[0]!.headers).not.toHaveProperty(name);
  });

  it.each([
    ['/o/acme/token', 'POST'],
    ['/o/acme/userinfo', 'GET'],
    ['/o/acme/token/revocation', 'POST'],
    ['/oauth2/token', 'POST'],
  ])('with two Authorization lines are refused at %s, in the form of OAuth', async (path, method) => {
    const client = raw(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eDp5\r\nAuthorization: Basic eDp6\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    await eventually(() => client.closed);
    expect(client.text).toMatch(/^HTTP\/1\.1 400 [^]*"error":"invalid_request"/);
    expect(auth.received).toEqual([]);
  });

  it.each(['/healthz', '/o/acme/api/credentials/subjects', '/nothing'])(
    'with two Host lines are refused at %s',
    async (path) => {
      const client = raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n`);
      await eventually(() => client.closed);
      expect(client.text).toMatch(/^HTTP\/1\.1 400 [^]*"code":"invalid_request"/);
    },
  );
});

describe('where a request comes from', () => {
  const spoofed = {
    'x-holdfast-client-address': '198.51.100.1',
    'x-forwarded-for': '198.51.100.2, 203.0.113.9',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    'x-real-ip': '198.51.100.3',
    forwarded: 'for=198.51.100.4',
  };
  const ways = [
    ['GET', `/o/acme/api/sign-in/${uid}`],
    ['POST', `/o/acme/api/sign-in/${uid}/options`],
    ['GET', '/o/acme/.well-known/openid-configuration'],
    ['GET', '/o/acme/authorize?client_id=x'],
    ['POST', '/oauth2/token'],
  ] as const;
  const seenAt = async (at: Gateway, method: string, path: string) => {
    await sendRequest(at, method, path, spoofed);
    const { headers } = auth.received[0]!;
    expect(headers).toMatchObject({
      host: 'id.example',
      'x-forwarded-host': 'id.example',
      'x-forwarded-proto': 'https',
    });
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded']) expect(headers).not.toHaveProperty(name);
    return headers['x-holdfast-client-address'];
  };

  it.each(ways)('is its own address whatever its headers say: %s %s', async (method, path) => {
    expect(await seenAt(gateway, method, path)).toBe('127.0.0.1');
  });

  it('is what a trusted proxy says, and not what a client told that proxy', async () => {
    const behind = await stack.gateway([auth], { TRUSTED_PROXIES: '127.0.0.1' });
    for (const [method, path] of ways) {
      auth.received.length = 0;
      expect(await seenAt(behind, method, path)).toBe('203.0.113.9');
    }
  });
});

describe('a denied request', () => {
  it('of a body that is too large is 413 and counted, announced or not', async () => {
    const size = 150_000;
    const client = raw(
      `POST /o/acme/api/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`,
    );
    await eventually(() => client.closed);
    expect(client.text).toMatch(/^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/);
    expect((await sendRequest(gateway, 'POST', '/o/acme/token', form, 'x'.repeat(size))).status).toBe(413);
    await eventually(() => countOf('payload_too_large') === 2);
  });

  it('is counted though its caller resets the connection at once', async () => {
    for (let i = 0; i < 50; i += 1) {
      const client = raw('GET /o/acme/api/credentials/subjects HTTP/1.1\r\nHost: x\r\n\r\n');
      client.socket.once('connect', () => client.socket.write('', () => client.socket.resetAndDestroy()));
    }
    await eventually(() => countOf('missing_token') === 50, 10_000);
  });
});

describe('while it stops', () => {
  it('answers in the form of the endpoint, with Retry-After, what comes on a busy connection', async () => {
    let release = (): void => undefined;
    auth.hold = new Promise<void>((resolve) => (release = resolve));
    const leaving = await stack.gateway([auth]);
    const request = `POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;
    const [oauth, problem] = [raw(request, leaving), raw(request, leaving)];
    await eventually(() => auth.received.length === 2);
    const stopped = leaving.service.stop();
    await eventually(async () => (await sendRequest(leaving, 'GET', '/healthz').catch(() => undefined)) === undefined);
    oauth.socket.write(request);
    problem.socket.write('GET /o/acme/api/credentials/subjects HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    release();
    await eventually(() => oauth.closed && problem.closed);
    expect(oauth.text).toMatch(
      /HTTP\/1\.1 200 [^]*HTTP\/1\.1 503 [^]*retry-after: 1[^]*"error":"temporarily_unavailable"/i,
    );
    expect(problem.text).toMatch(/HTTP\/1\.1 200 [^]*HTTP\/1\.1 503 [^]*retry-after: 1[^]*"code":"unavailable"/i);
    await stopped;
  });
});
