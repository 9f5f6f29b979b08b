import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { AuthStub, deniedRequestRecords, GatewayStack, type Gateway } from '../gateway-stack.fixture.js';
import { RawClient, sendRequest } from '../http-client.fixture.js';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const body = 'grant_type=client_credentials';
const requestToken = (gateway: Gateway, headers: Record<string, string> = {}) =>
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
  [...deniedRequestRecords.values()]
    .filter(({ outcome }) => outcome.code === code)
    .reduce((sum, { outcome }) => sum + (outcome.count ?? 0), 0);

beforeAll(async () => {
  stack = await GatewayStack.start();
  auth = await new AuthStub().start();
  gateway = await stack.gateway([auth], {
    AUTH_MAX_CONNECTIONS: '4',
    HTTP_HEADERS_TIMEOUT_SECONDS: '2',
    HTTP_BODY_TIMEOUT_SECONDS: '5',
  });
});
afterAll(async () => {
  await stack.stop();
  await auth.stop();
});
beforeEach(() => {
  auth.received.length = 0;
  deniedRequestRecords.clear();
});
afterEach(() => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
});

describe('clients that stop sending', () => {
  it('within a body get 408 and occupy no connection to auth', async () => {
    for (let i = 0; i < 150; i += 1)
      raw(
        'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eDp5\r\n' +
          `Content-Type: ${form['content-type']}\r\nContent-Length: 100\r\n\r\ngrant`,
      );
    await eventually(() => clients.every(({ socket }) => socket.bytesWritten > 0));
    expect((await requestToken(gateway)).status).toBe(200);
    expect(auth.received).toHaveLength(1);
    await eventually(() => clients.every(({ closed }) => closed));
    for (const { text } of clients) expect(text).toMatch(/^HTTP\/1\.1 408 [^]*"error":"invalid_request"/);
  });

  it.each(['', 'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nX-A'])('within the headers get 408: %j', async (bytes) => {
    const client = raw(bytes);
    await eventually(() => client.closed);
    expect(client.text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
  });

  it('and disconnect are recorded with 499, not as an error of the gateway', async () => {
    const client = raw(
      'POST /o/acme/api/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await eventually(() => client.socket.bytesWritten > 0);
    setTimeout(() => client.socket.resetAndDestroy(), 1500);
    await eventually(() => countOf('client_closed_request') === 1);
    expect([...deniedRequestRecords.values()]).toMatchObject([{ outcome: { result: 'failure', status: 499 } }]);
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
  ])('about its own connection are not forwarded: %s: %s', async (name, value) => {
    const { status, headers } = await requestToken(gateway, { [name]: value });
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
  ])('with two Authorization lines get 400 in the form of OAuth at %s', async (path, method) => {
    const client = raw(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eDp5\r\nAuthorization: Basic eDp6\r\n` +
        'Content-Length: 0\r\nConnection: close\r\n\r\n',
    );
    await eventually(() => client.closed);
    expect(client.text).toMatch(/^HTTP\/1\.1 400 [^]*"error":"invalid_request"/);
    expect(auth.received).toEqual([]);
  });

  it.each(['/healthz', '/o/acme/api/credentials/subjects', '/nothing'])(
    'with two Host lines get 400 at %s',
    async (path) => {
      const client = raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n`);
      await eventually(() => client.closed);
      expect(client.text).toMatch(/^HTTP\/1\.1 400 [^]*"code":"invalid_request"/);
    },
  );
});

describe('the client address that auth gets', () => {
  const spoofed = {
    'x-holdfast-client-address': '198.51.100.1',
    'x-forwarded-for': '198.51.100.2, 203.0.113.9',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    'x-real-ip': '198.51.100.3',
    forwarded: 'for=198.51.100.4',
  };
  const routes = [
    ['GET', `/o/acme/api/sign-in/${uid}`],
    ['POST', `/o/acme/api/sign-in/${uid}/options`],
    ['GET', '/o/acme/.well-known/openid-configuration'],
    ['GET', '/o/acme/authorize?client_id=x'],
    ['POST', '/oauth2/token'],
  ] as const;
  const forwardedAddress = async (at: Gateway, method: string, path: string) => {
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

  it.each(routes)('is that of the connection, whatever the headers of the client: %s %s', async (method, path) => {
    expect(await forwardedAddress(gateway, method, path)).toBe('127.0.0.1');
  });

  it('is the last one of X-Forwarded-For behind a trusted proxy, not one that the client sent', async () => {
    const behind = await stack.gateway([auth], { TRUSTED_PROXIES: '127.0.0.1' });
    for (const [method, path] of routes) {
      auth.received.length = 0;
      expect(await forwardedAddress(behind, method, path)).toBe('203.0.113.9');
    }
  });
});

describe('a denied request', () => {
  it('with a body that is too large is 413 and counted, with or without Content-Length', async () => {
    const size = 150_000;
    const client = raw(
      'POST /o/acme/api/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n' +
        `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`,
    );
    await eventually(() => client.closed);
    expect(client.text).toMatch(/^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/);
    expect((await sendRequest(gateway, 'POST', '/o/acme/token', form, 'x'.repeat(size))).status).toBe(413);
    await eventually(() => countOf('payload_too_large') === 2);
  });

  it('is counted even if its caller resets the connection at once', async () => {
    for (let i = 0; i < 50; i += 1) {
      const client = raw('GET /o/acme/api/credentials/subjects HTTP/1.1\r\nHost: x\r\n\r\n');
      client.socket.once('connect', () => client.socket.write('', () => client.socket.resetAndDestroy()));
    }
    await eventually(() => countOf('missing_token') === 50);
  });
});

describe('a gateway that is stopping', () => {
  it('handles requests while it drains, and closes each connection after its response', async () => {
    const stopping = await stack.gateway([auth], { HTTP_DRAIN_SECONDS: '8' });
    const request = `POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;
    const [first, second] = [raw(request, stopping), raw(request, stopping)];
    await eventually(() => first.text.includes('200 OK') && second.text.includes('200 OK'));
    expect(first.text).not.toMatch(/connection: close/i);
    const stopped = stopping.service.stop();
    await eventually(async () => {
      const other = raw(request, stopping);
      await eventually(() => other.text.includes('200 OK'));
      other.socket.destroy();
      return /connection: close/i.test(other.text);
    });
    for (const client of [first, second]) {
      client.socket.write(request);
      await eventually(() => client.closed);
      expect(client.text).toMatch(/HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 [^]*connection: close/i);
    }
    await stopped;
  });

  it('answers further requests on busy connections with 503 in the form of the endpoint', async () => {
    let release = (): void => undefined;
    auth.hold = new Promise<void>((resolve) => (release = resolve));
    const stopping = await stack.gateway([auth]);
    const request = `POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;
    const [oauth, problem] = [raw(request, stopping), raw(request, stopping)];
    await eventually(() => auth.received.length === 2);
    const stopped = stopping.service.stop();
    await eventually(async () => (await sendRequest(stopping, 'GET', '/healthz').catch(() => undefined)) === undefined);
    oauth.socket.write(request);
    problem.socket.write('GET /o/acme/api/credentials/subjects HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    release();
    await eventually(() => oauth.closed && problem.closed);
    expect(oauth.text).toMatch(
      /HTTP\/1\.1 200 [^]*HTTP\/1\.1 503 [^]*retry-after: 1[^]*"error":"temporarily_unavailable"/i,
    );
    expect(problem.text).toMatch(/HTTP\/1\.1 200 [^]*HTTP\/1\.1 503 [^]*retry-after: 1[^]*"code":"unavailable"/i);
    await stopped;
  });
});
