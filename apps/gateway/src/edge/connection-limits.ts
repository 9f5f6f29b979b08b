import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter } from 'prom-client';
import { networkOf } from '@holdfast/platform';
import { trustedProxies } from './client-address.js';

export interface ConnectionLimits {
  max: number;
  /** Of one IPv4 address or IPv6 /64. */
  maxPerAddress: number;
  /** Addresses and networks of proxies: `maxPerAddress` does not apply to them. */
  trusted: readonly string[];
}

const refused = new Counter({
  name: 'holdfast_connections_refused_total',
  help:
    'Connections that were closed at once: `address` when their address had too many, `all` when there were too ' +
    'many in total',
  labelNames: ['because'],
});

/** Limits the connections of clients, so that one address cannot take all file descriptors. */
export function limitConnections(server: Server, { max, maxPerAddress, trusted }: ConnectionLimits): void {
  const isProxy = trustedProxies(trusted);
  const open = new Map<string, number>();
  server.maxConnections = max;
  server.on('drop', () => refused.inc({ because: 'all' }));
  server.on('connection', (socket: Socket) => {
    // Reading the address makes Node cache it. After a reset it could no longer be read, and the denied request could
    // not be counted for its network.
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > maxPerAddress) {
      refused.inc({ because: 'address' });
      return void socket.destroy();
    }
    open.set(network, count);
    socket.once('close', () => {
      const remaining = (open.get(network) ?? 1) - 1;
      if (remaining > 0) open.set(network, remaining);
      else open.delete(network);
    });
  });
}
