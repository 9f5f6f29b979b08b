import { afterEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { networkOf } from '@holdfast/platform';
import { clientAddressOf, trustedProxies } from './client-address.js';

let server: FastifyInstance | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** The address that counts for a request over a connection from `from`. */
async function addressOf(trusted: string[], from: string, headers: Record<string, string | string[]> = {}) {
  server ??= Fastify({ trustProxy: trustedProxies(trusted) as (address: string) => boolean });
  if (!server.hasRoute({ method: 'GET', url: '/' }))
    server.get('/', (request) => ({ address: clientAddressOf(request) }));
  const response = await server.inject({ url: '/', remoteAddress: from, headers: headers as Record<string, string> });
  return response.json<{ address: string }>().address;
}
const forwarded = (value: string) => ({ 'x-forwarded-for': value });

const client = '203.0.113.9';
const inner = '10.0.0.2';
const outer = '10.0.0.1';
const others = { forwarded: 'for=198.51.100.4', 'x-real-ip': '198.51.100.3', 'x-client-ip': '198.51.100.5' };

describe('without a trusted proxy', () => {
  it.each([
    ['', {}],
    ['X-Forwarded-For of the client', forwarded('198.51.100.1')],
    ['that of the proxy itself', forwarded(`198.51.100.1, ${client}`)],
    ['other headers', others],
  ])('the address is that of the connection, with %s', async (_, headers) => {
    expect(await addressOf([], client, headers)).toBe(client);
    expect(await addressOf([inner], client, headers)).toBe(client);
  });
});

describe('behind one trusted proxy', () => {
  it.each([
    [client, client],
    [`198.51.100.1, ${client}`, client],
    [`${inner}, 127.0.0.1, ::1, ${client}`, client],
    [`198.51.100.1,,${client}`, client],
    // Proxies that write the port.
    [`${client}:4711`, client],
    ['[2001:db8::9]:4711', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    // One spelling for each address.
    ['2001:0DB8:0:0:0:0:0:9', '2001:db8::9'],
    [`::ffff:${client}`, client],
    ['fe80::9%eth0', 'fe80::9'],
    ['fe80::9%25..%2f', 'fe80::9'],
  ])('the address is the last one of X-Forwarded-For: %s', async (value, address) => {
    expect(await addressOf([inner], inner, { ...forwarded(value), ...others })).toBe(address);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    'for=198.51.100.1',
    `${client}:`,
    `${client}:port`,
    '203.0.113.999',
    '0x7f.1',
    '2130706433',
    '127.1',
    '010.0.0.2',
    '[2001:db8::9',
    '2001:db8::9:4711:1:1:1:1:1',
    '<script>',
    `${client};198.51.100.1`,
    'a'.repeat(4000),
  ])('counts for the proxy when the last one is no address: %s', async (value) => {
    expect(await addressOf([inner], inner, forwarded(value))).toBe(inner);
    expect(await addressOf([inner], inner, forwarded(`198.51.100.1, ${value}`))).toBe(
      value === '' ? '198.51.100.1' : inner,
    );
  });

  it('reads several lines of the header as one', async () => {
    expect(await addressOf([inner], inner, { 'x-forwarded-for': `198.51.100.1, ${client}` })).toBe(client);
  });

  it('reads a connection of its IPv4 address over IPv6', async () => {
    expect(await addressOf([inner], `::ffff:${inner}`, forwarded(client))).toBe(client);
  });
});

describe('behind two trusted proxies', () => {
  it.each([
    ['both append', `198.51.100.1, ${client}, ${outer}`, client],
    ['a client says that it is one of them', `${outer}, ${inner}, ${client}, ${outer}`, client],
    ['the outer one is not trusted, since it is in no listed network', `${client}, 192.0.2.1`, '192.0.2.1'],
    ['the outer one sends no address', `198.51.100.1, unknown, ${outer}`, outer],
    ['the outer one writes its port', `${client}:1, ${outer}:2`, client],
  ])('%s', async (_, value, address) => {
    expect(await addressOf([`${outer}/32`, inner], inner, forwarded(value))).toBe(address);
  });

  it('which are trusted by IPv6 networks', async () => {
    const networks = ['2001:db8:1::/48', '::ffff:10.0.0.2'];
    expect(await addressOf(networks, '2001:db8:1::2', forwarded(`198.51.100.1, ${client}, 10.0.0.2`))).toBe(client);
  });
});

it('a client cannot change the network for which it counts by another spelling', async () => {
  for (const spelling of [`${client}`, `${client}:1`, `${client}:2`, `::ffff:${client}`, '::ffff:cb00:7109'])
    expect(networkOf(await addressOf([inner], inner, forwarded(spelling)))).toBe(client);
});
