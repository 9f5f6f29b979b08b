// The example shop: node src/main.ts. See README.md.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { loadConfig, type Config } from './config.ts';
import { createApp } from './server/app.ts';
import { openShop } from './shop.ts';

try {
  const config = loadConfig();
  const apps = await start(config);
  const stop = () => void stopAll(apps);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  if (config.exitWithParent) process.stdin.resume().once('end', stop).once('error', stop);
} catch (error) {
  process.stderr.write(`The shop cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}

async function start({ ports, host, tls, dataFolder, settings, sessionSecret }: Config): Promise<FastifyInstance[]> {
  const all = settings.map((ofApp) => openShop(ofApp, dataFolder));
  const https = tls && { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
  const apps: FastifyInstance[] = [];
  for (const [name, port] of Object.entries(ports)) {
    const shops = all.filter((shop) => shop.settings.app === name);
    if (!shops[0]) continue;
    const app = await createApp({ origin: shops[0].settings.origin, shops, sessionSecret, https });
    app.addHook('preClose', async () => shops.forEach(({ securityEvents }) => securityEvents?.stop()));
    await listen(app, port, host);
    for (const { name: shopName, settings: ofShop, securityEvents } of shops) {
      void securityEvents?.run((message) => app.log.warn(message));
      app.log.info(`${shopName} is open at ${ofShop.signedOutUri}`);
    }
    apps.push(app);
  }
  return apps;
}

/** Fastify binds both addresses of localhost. */
async function listen(app: FastifyInstance, port: number, host: string): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`port ${port} cannot be used (${code}). Set SHOP_PORT or KIOSK_PORT to another one.`, {
      cause: error,
    });
  }
}

/** Does not wait for connections that browsers keep open. */
async function stopAll(apps: FastifyInstance[]): Promise<void> {
  setTimeout(() => process.exit(0), 500).unref();
  await Promise.all(apps.map((app) => app.close()));
  process.exit(0);
}
