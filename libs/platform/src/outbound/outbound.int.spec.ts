import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Socket, type AddressInfo, type LookupFunction } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createLogger } from '../logging/logger.js';
import { NameServer } from './name-server.fixture.js';
import { OutboundError } from './outbound-error.js';
import { Outbound, type OutboundRequest } from './outbound.js';
import { resolveBy } from './public-addresses.js';
import { selfSigned } from './self-signed.fixture.js';

/** Address of a root name server: a public one, to which no test connects. */
const publicAddress = '198.41.0.4';

let server: Server;
let secured: Server;
let port: number;
let received: IncomingMessage[] = [];
let respond: RequestListener;
const lines: string[] = [];
const open: Outbound[] = [];

const portOf = (of: Server) => (of.address() as AddressInfo).port;
const listen = (of: Server) => new Promise<void>((resolve) => void of.listen(0, '127.0.0.1', resolve));

beforeAll(async () => {
  const listener: RequestListener = (request, response) => {
    received.push(request);
    respond(request, response);
  };
  server = createServer(listener);
  secured = createTlsServer(selfSigned, listener);
  await Promise.all([listen(server), listen(secured)]);
  port = portOf(server);
});
afterAll(() => {
  for (const one of [server, secured]) {
    one.closeAllConnections();
    one.close();
  }
});
beforeEach(() => {
  received = [];
  lines.length = 0;
  respond = (_, response) => void response.end('{"ok":true}');
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const one of open.splice(0)) await one.close();
});

function outbound(
  allow: string[] = [],
  resolve?: (name: string) => Promise<string[]>,
  ports = [443, port, portOf(secured)],
): Outbound {
  const created = new Outbound(
    { allow, ports },
    createLogger('test', 'warn', '1', { write: (line) => void lines.push(line) }),
    resolve,
  );
  open.push(created);
  return created;
}

/** Ends each connection over TLS before the first packet. Returns the addresses to which they would have led. */
function keepConnectionsHere(): string[] {
  const addresses: string[] = [];
  const connect = tls.connect as (options: ConnectionOptions) => tls.TLSSocket;
  jest.spyOn(tls, 'connect').mockImplementation(((options: ConnectionOptions & { lookup: LookupFunction }) =>
    connect({
      ...options,
      lookup: (name, about, done) =>
        options.lookup(name, about, (error, found) => {
          if (error) return done(error, '');
          addresses.push(...[found].flat().map((one) => (typeof one === 'string' ? one : one.address)));
          done(new Error('kept here'), '');
        }),
    })) as typeof tls.connect);
  return addresses;
}

/** The same for a connection that has an address already. */
function keepTlsConnectionsHere(): string[] {
  const addresses: string[] = [];
  jest.spyOn(tls, 'connect').mockImplementation(((options: ConnectionOptions) => {
    addresses.push(options.host!);
    const socket = new tls.TLSSocket(new Socket());
    setImmediate(() => socket.destroy(new Error('kept here')));
    return socket;
  }) as typeof tls.connect);
  return addresses;
}

const failureOf = (by: Outbound, url: string, more: OutboundRequest = {}) =>
  by.request(url, more).then(
    (response) => `status ${response.status}`,
    (error: unknown) => (error instanceof OutboundError ? error : Promise.reject(error as Error)),
  );
const allowed = () => outbound([`http://localhost:${port}`]);
const local = () => `http://localhost:${port}/in`;

describe('an origin that is allowed', () => {
  test('is called, and logged at start', async () => {
    const { status, body } = await allowed().request(local(), {
      body: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([status, body.toString()]).toEqual([200, '{"ok":true}']);
    expect(received[0]).toMatchObject({ method: 'POST', url: '/in' });
    expect(received[0]!.headers).toMatchObject({
      'user-agent': 'Holdfast',
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(received[0]!.headers.cookie).toBeUndefined();
    expect(lines).toEqual([expect.stringContaining(`http://localhost:${port}`)]);
  });

  test.each(['another port', 'another name', 'another scheme'])('does not allow %s', async (what) => {
    const url = {
      'another port': `http://localhost:${portOf(secured)}/`,
      'another name': `http://127.0.0.1:${port}/`,
      'another scheme': `https://localhost:${port}/`,
    }[what]!;
    expect(await failureOf(allowed(), url)).toMatchObject({ failure: 'address not allowed' });
    expect(received).toEqual([]);
  });

  test('still needs a valid certificate', async () => {
    expect(
      await failureOf(outbound([`https://localhost:${portOf(secured)}`]), `https://localhost:${portOf(secured)}/`),
    ).toMatchObject({ failure: 'certificate', message: expect.stringContaining('certificate: it is self-signed') });
    expect(received).toEqual([]);
  });

  test('is called without the proxy of the environment, and without cookies of earlier responses', async () => {
    const before = process.env.http_proxy;
    process.env.http_proxy = 'http://127.0.0.1:9';
    respond = (_, response) => void response.setHeader('set-cookie', 'a=b').end();
    const by = allowed();
    await by.request(local());
    await by.request(local());
    if (before === undefined) delete process.env.http_proxy;
    else process.env.http_proxy = before;
    expect(received.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });
});

describe('a name', () => {
  test('is rejected when any of its addresses is not public', async () => {
    for (const addresses of [
      ['127.0.0.1'],
      [publicAddress, '127.0.0.1'],
      ['::ffff:127.0.0.1'],
      ['64:ff9b::7f00:1'],
      [publicAddress, 'fd00::1'],
    ]) {
      const error = await failureOf(
        outbound([], async () => addresses),
        `https://shop.example:${portOf(secured)}/`,
      );
      expect(error).toMatchObject({ failure: 'address not allowed', message: expect.not.stringContaining('127') });
    }
    expect(received).toEqual([]);
  });

  test('that resolves to a private address a moment later is not called there (rebinding)', async () => {
    let lookups = 0;
    const rebinding = outbound([], async () => [(lookups += 1) % 2 === 1 ? publicAddress : '127.0.0.1']);
    const url = `https://shop.example:${portOf(secured)}/`;
    const addresses = keepConnectionsHere();
    expect(await failureOf(rebinding, url)).toMatchObject({ failure: 'no response' });
    // One lookup and one connection: there was no second lookup to exploit.
    expect([lookups, addresses]).toEqual([1, [publicAddress]]);
    expect(await failureOf(rebinding, url)).toMatchObject({ failure: 'address not allowed' });
    expect([lookups, addresses, received]).toEqual([2, [publicAddress], []]);
  });

  test.each(['HTTP', 'TLS'])(
    'that a real name server moves to this machine a moment later is not called there, by %s',
    async (protocol) => {
      const nameServer = await NameServer.start(publicAddress, '127.0.0.1');
      const rebinding = outbound([], (name) => resolveBy(name, [nameServer.address]));
      const addresses = protocol === 'HTTP' ? keepConnectionsHere() : keepTlsConnectionsHere();
      const call = () =>
        protocol === 'HTTP'
          ? failureOf(rebinding, `https://shop.example:${portOf(secured)}/`)
          : rebinding.connectTls({ host: 'shop.example', port: portOf(secured) }).catch((error: unknown) => error);
      try {
        expect(await call()).toMatchObject({ failure: 'no response' });
        expect([nameServer.queries, addresses]).toEqual([1, [publicAddress]]);
        expect(await call()).toMatchObject({ failure: 'address not allowed' });
        expect([nameServer.queries, addresses, received]).toEqual([2, [publicAddress], []]);
      } finally {
        nameServer.stop();
      }
    },
  );

  test('that does not resolve fails without details', async () => {
    expect(
      await failureOf(
        outbound([], async () => []),
        'https://shop.example/',
      ),
    ).toMatchObject({ failure: 'no response' });
    expect(
      await failureOf(
        outbound([], () => Promise.reject(new Error('queryA ESERVFAIL 10.0.0.2'))),
        'https://shop.example/',
      ),
    ).toMatchObject({ failure: 'no response', message: 'no response.' });
  });

  test('fails after the timeout of the request when its name server does not respond', async () => {
    const waiting = outbound([], () => new Promise(() => undefined));
    const withTimeout = (timeoutMs?: number) =>
      failureOf(waiting, 'https://shop.example/', timeoutMs === undefined ? {} : { timeoutMs });
    // The other one fails after the five seconds of connecting.
    const first = await Promise.race([withTimeout(300), withTimeout().then(() => 'the other one')]);
    expect(first).toMatchObject({ failure: 'timed out' });
  });

  test('is not looked up when the URL contains an address', async () => {
    const never = outbound([], () => Promise.reject(new Error('looked up')));
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
      expect(await failureOf(never, `https://${host}:${portOf(secured)}/`)).toMatchObject({
        failure: 'address not allowed',
      });
    }
    expect(received).toEqual([]);
  });
});

describe('a response', () => {
  test.each([301, 302, 303, 307, 308])('%i fails, and the redirect is not followed', async (status) => {
    respond = (_, response) => void response.writeHead(status, { location: `http://localhost:${port}/second` }).end();
    expect(await failureOf(allowed(), local())).toMatchObject({
      failure: 'status',
      status,
      message: expect.stringContaining('not followed'),
    });
    expect(received.map(({ url }) => url)).toEqual(['/in']);
  });

  test('that redirects to the metadata service is not followed', async () => {
    respond = (_, response) =>
      void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    expect(await failureOf(allowed(), local())).toMatchObject({
      failure: 'status',
      message: expect.not.stringContaining('169.254'),
    });
  });

  test.each([400, 404, 500, 503])('%i fails without its body', async (status) => {
    respond = (_, response) => void response.writeHead(status, 'Internal detail').end('a secret from inside');
    expect(await failureOf(allowed(), local())).toMatchObject({
      failure: 'status',
      status,
      message: `status ${status}.`,
    });
  });

  test('that is too large fails, with and without a Content-Length', async () => {
    const endless: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(16_384)), 1);
      response.on('close', () => clearInterval(timer));
    };
    for (const tooMuch of [endless, ((_, response) => void response.end(Buffer.alloc(65_537))) as RequestListener]) {
      respond = tooMuch;
      expect(await failureOf(allowed(), local())).toMatchObject({ failure: 'too large' });
    }
    respond = (_, response) => void response.end(Buffer.alloc(65_536));
    expect((await allowed().request(local())).body).toHaveLength(65_536);
  });

  test('that is long, or breaks off, succeeds where its status says everything', async () => {
    const endless: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(16_384)), 1);
      response.on('close', () => clearInterval(timer));
    };
    const brokenOff: RequestListener = (request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('ok');
      setTimeout(() => request.socket.destroy(), 50);
    };
    for (const odd of [endless, brokenOff]) {
      respond = odd;
      const { status, body } = await allowed().request(local(), { ignoresRest: true, maxBytes: 1000 });
      expect([status, body.length <= 1000]).toEqual([200, true]);
    }
    respond = (_, response) => void response.writeHead(500).end();
    expect(await failureOf(allowed(), local(), { ignoresRest: true })).toMatchObject({ failure: 'status' });
  });

  test('that arrives byte by byte, or never, fails after the timeout', async () => {
    const dripping: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    for (const slow of [dripping, (() => undefined) as RequestListener]) {
      respond = slow;
      expect(await failureOf(allowed(), local(), { timeoutMs: 300 })).toMatchObject({ failure: 'timed out' });
    }
  });

  test('that breaks off fails', async () => {
    respond = (request) => void request.socket.destroy();
    expect(await failureOf(allowed(), local())).toMatchObject({ failure: 'no response', message: 'no response.' });
  });
});
