import type { Server } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { Counter } from 'prom-client';
import { canonicalAddress, networkOf } from '@holdfast/platform';

export interface ConnectionLimits {
  max: number;
  /** Of one IPv4 address or IPv6 /64. */
  maxPerAddress: number;
  /** Addresses and networks to which `maxPerAddress` does not apply: many come through them. */
  trusted: readonly string[];
}

const refused = new Counter({
  name: 'holdfast_connections_refused_total',
  help:
    'Connections that were closed at once: `address` when theirs had too many, `all` when there were too many ' +
    'altogether',
  labelNames: ['because'],
});

/** Bounds the connections of clients, so that one address cannot have all file descriptors to itself. */
export function limitConnections(server: Server, { max, maxPerAddress, trusted }: ConnectionLimits): void {
  const proxies = listOf(trusted);
  const open = new Map<string, number>();
  server.maxConnections = max;
  server.on('drop', () => refused.inc({ because: 'all' }));
  server.on('connection', (socket: Socket) => {
    // Node keeps what it was told: once a caller has reset the connection, nobody could say any more whose denied
    // request it was.
    const address = socket.remoteAddress ?? '';
    if (contains(proxies, address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > maxPerAddress) {
      refused.inc({ because: 'address' });
      return void socket.destroy();
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  const canonical = canonicalAddress(address);
  return canonical !== '' && list.check(canonical, isIPv6(canonical) ? 'ipv6' : 'ipv4');
}
