import { join } from 'node:path';
import { freePorts, stateOfPort } from '../infra/ports.ts';
import type { Program } from '../infra/program.ts';
import { ReportedError, say } from '../infra/say.ts';
import { home, root } from '../setup/paths.mjs';
import { demoFile } from './demo.ts';
import { logOf } from './servers.ts';
import { inherited } from './service-env.ts';
import { answersOk } from './service-program.ts';

/** Ports of examples/shop: one program, which is two apps of each demo organization. */
export interface ShopPorts {
  shop: number;
  kiosk: number;
}

const hint =
  'choose others, such as: SHOP_PORT=4010 KIOSK_PORT=4011 npm start (or leave the example shop out: npm start -- --no-examples)';

/**
 * The ports that the shop gets. An example must not keep a stack from starting: when nobody chose them and the usual
 * ones are taken, by the shop of another stack perhaps, it takes free ones and says so.
 */
export async function settleShopPorts(
  wished: ShopPorts,
  taken: number[],
  { SHOP_PORT, KIOSK_PORT }: NodeJS.ProcessEnv,
): Promise<ShopPorts> {
  if (SHOP_PORT || KIOSK_PORT) {
    await requireShopPorts(wished, taken);
    return wished;
  }
  const states = await Promise.all(
    [wished.shop, wished.kiosk].map(async (port) => (taken.includes(port) ? 'taken' : stateOfPort(port))),
  );
  if (states.every((state) => state === 'free')) return wished;
  const shop = await freePorts(2);
  say(`  Port ${wished.shop} or ${wished.kiosk} is taken; the example shop takes ${shop} and ${shop + 1}`);
  return { shop, kiosk: shop + 1 };
}

/** Asked before anything is started, so that a taken port is one sentence and not a half-open stack. */
async function requireShopPorts({ shop, kiosk }: ShopPorts, taken: number[]): Promise<void> {
  if (shop === kiosk) throw new ReportedError(`SHOP_PORT and KIOSK_PORT are both ${shop}; ${hint}`);
  for (const [name, port] of Object.entries({ SHOP_PORT: shop, KIOSK_PORT: kiosk })) {
    if (taken.includes(port)) throw new ReportedError(`Port ${port} (${name}) is the gateway's; ${hint}`);
    const state = await stateOfPort(port);
    if (state !== 'free')
      throw new ReportedError(
        `Port ${port} (${name}) ${state === 'taken' ? 'is taken by another program' : 'may be used by root only'}; ${hint}`,
      );
  }
}

export function shopReadyUrl({ shop }: ShopPorts): string {
  return `http://localhost:${shop}/healthz`;
}

/** Where services may call it, though it is on this machine and not on https. */
export function shopOrigins(ports: ShopPorts | undefined): string[] {
  return ports ? [ports.shop, ports.kiosk].map((port) => `http://localhost:${port}`) : [];
}

/** Its settings come from demo.json: it knows no more than any organization's app. */
export function shopProgram(ports: ShopPorts, caller: NodeJS.ProcessEnv, known: ReadonlySet<string>): Program {
  return {
    name: 'shop',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(root, 'examples', 'shop', 'src', 'main.ts')],
    env: {
      ...inherited(caller, known),
      NODE_ENV: 'production',
      DEMO_FILE: demoFile,
      SHOP_DATA: caller.SHOP_DATA || join(home, 'shop'),
      ...portVariables(ports),
      HOLDFAST_EXIT_WITH_PARENT: '1',
    },
    cwd: root,
    logFile: logOf('shop'),
    stopSignal: 'SIGTERM',
    stopWithin: 5000,
    ready: () => answersOk(shopReadyUrl(ports)),
  };
}

/** As the shop and the seed of its apps both read them. */
export function portVariables({ shop, kiosk }: ShopPorts): NodeJS.ProcessEnv {
  return { SHOP_PORT: String(shop), KIOSK_PORT: String(kiosk) };
}
