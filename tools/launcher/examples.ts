import { join } from 'node:path';
import { print, ReportedError } from '../infra/console.ts';
import { freePorts, stateOfPort } from '../infra/ports.ts';
import type { Program } from '../infra/program.ts';
import { home, root } from '../setup/paths.mjs';
import { demoFile } from './demo.ts';
import { isReady, reachingEnv, type PublicAddress } from './public-address.ts';
import { logOf } from './servers.ts';
import { inherited } from './service-env.ts';

/** Ports of examples/shop: one program, which is two apps of each demo organization. */
export interface ShopPorts {
  shop: number;
  kiosk: number;
}

const hint =
  'Choose others, such as: SHOP_PORT=4010 KIOSK_PORT=4011 npm start ' +
  '(or leave the example shop out: npm start -- --no-examples)';

/**
 * Chooses the ports of the shop. An example must not keep a stack from starting: if the default ports are taken, for
 * example by the shop of another stack, free ones are used. Ports that the user chose must be free.
 */
export async function chooseShopPorts(
  preferred: ShopPorts,
  taken: number[],
  { SHOP_PORT, KIOSK_PORT }: NodeJS.ProcessEnv,
): Promise<ShopPorts> {
  if (SHOP_PORT || KIOSK_PORT) {
    await requireShopPorts(preferred, taken);
    return preferred;
  }
  const states = await Promise.all(
    [preferred.shop, preferred.kiosk].map(async (port) => (taken.includes(port) ? 'taken' : stateOfPort(port))),
  );
  if (states.every((state) => state === 'free')) return preferred;
  const shop = await freePorts(2);
  print(`  Port ${preferred.shop} or ${preferred.kiosk} is taken; the example shop uses ${shop} and ${shop + 1}`);
  return { shop, kiosk: shop + 1 };
}

/** Checked before anything starts, so that a taken port yields one error message and no partly started stack. */
async function requireShopPorts({ shop, kiosk }: ShopPorts, taken: number[]): Promise<void> {
  if (shop === kiosk) throw new ReportedError(`SHOP_PORT and KIOSK_PORT are both ${shop}. ${hint}`);
  for (const [name, port] of Object.entries({ SHOP_PORT: shop, KIOSK_PORT: kiosk })) {
    if (taken.includes(port)) throw new ReportedError(`Port ${port} (${name}) is the gateway's. ${hint}`);
    const state = await stateOfPort(port);
    const problem = state === 'taken' ? 'is taken by another program' : 'may be used by root only';
    if (state !== 'free') throw new ReportedError(`Port ${port} (${name}) ${problem}. ${hint}`);
  }
}

/** Scheme and host of the shop: those of the stack, since a host that is reached by https is never reached by http. */
export function shopSite({ baseUrl, tls }: PublicAddress): string {
  return tls ? `https://${new URL(baseUrl).hostname}` : 'http://localhost';
}

export function shopReadyUrl(address: PublicAddress, { shop }: ShopPorts): string {
  return `${shopSite(address)}:${shop}/healthz`;
}

/** Origins that services may call although they are on this machine. */
export function shopOrigins(address: PublicAddress, ports: ShopPorts | undefined): string[] {
  return ports ? [ports.shop, ports.kiosk].map((port) => `${shopSite(address)}:${port}`) : [];
}

/** The shop reads its settings from demo.json: it has no more access than any organization's app. */
export function shopProgram(
  address: PublicAddress,
  ports: ShopPorts,
  caller: NodeJS.ProcessEnv,
  declared: ReadonlySet<string>,
): Program {
  const { tls, host } = address;
  return {
    name: 'shop',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(root, 'examples', 'shop', 'src', 'main.ts')],
    env: {
      ...inherited(caller, declared),
      ...reachingEnv(address, caller),
      NODE_ENV: 'production',
      DEMO_FILE: demoFile,
      SHOP_DATA: caller.SHOP_DATA || join(home, 'shop'),
      ...(caller.SHOP_SESSION_SECRET && { SHOP_SESSION_SECRET: caller.SHOP_SESSION_SECRET }),
      ...shopVariables(address, ports),
      ...(tls && { SHOP_CERT_FILE: tls.certFile, SHOP_KEY_FILE: tls.keyFile, SHOP_HOST: host }),
      HOLDFAST_EXIT_WITH_PARENT: '1',
    },
    cwd: root,
    logFile: logOf('shop'),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5000,
    ready: () => isReady(shopReadyUrl(address, ports), host),
  };
}

/** Variables that both the shop and the seed of its apps read. */
export function shopVariables(address: PublicAddress, { shop, kiosk }: ShopPorts): NodeJS.ProcessEnv {
  return { SHOP_SITE: shopSite(address), SHOP_PORT: String(shop), KIOSK_PORT: String(kiosk) };
}
