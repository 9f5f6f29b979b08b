// The example shop: node src/main.ts. See README.md.
import type { Server } from 'node:http';
import { loadConfig, type Config } from './config.ts';
import { openShop } from './shop.ts';
import { createShopServer } from './web/server.ts';

try {
  const servers = await open(loadConfig());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => close(servers));
} catch (error) {
  process.stderr.write(`The shop cannot open: ${(error as Error).message}\n`);
  process.exit(1);
}

async function open({ ports, dataFolder, settings, exitWithParent }: Config): Promise<Server[]> {
  const shops = settings.map((one) => openShop(one, dataFolder));
  const servers: Server[] = [];
  for (const [app, port] of Object.entries(ports)) {
    const ours = shops.filter((shop) => shop.settings.app === app);
    if (!ours[0]) continue;
    // Loopback only: this staff page asks nobody for a name, and localhost is either address.
    for (const host of ['127.0.0.1', '::1']) {
      const server = createShopServer(ours[0].settings.origin, ours);
      await listening(server, port, host);
      servers.push(server);
    }
    for (const { settings: s, name } of ours) process.stdout.write(`${name} is open at ${s.signedOutUri}\n`);
  }
  if (exitWithParent)
    process.stdin
      .resume()
      .once('end', () => close(servers))
      .once('error', () => close(servers));
  return servers;
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      // A machine without IPv6 does without it.
      if (host === '::1' && error.code !== 'EADDRINUSE') resolve();
      else
        reject(new Error(`port ${port} cannot be used (${error.code}); name another one in SHOP_PORT or KIOSK_PORT`));
    });
    server.listen({ port, host }, resolve);
  });
}

function close(servers: Server[]): void {
  for (const server of servers) server.close();
  for (const server of servers) server.closeIdleConnections();
  // What a browser keeps open is not waited for.
  setTimeout(() => process.exit(0), 500);
}
