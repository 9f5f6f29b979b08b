import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../infra/console.ts';
import { shopReadyUrl, shopVariables } from '../launcher/examples.ts';
import { isReady, plainAddress } from '../launcher/public-address.ts';
import { root } from '../setup/paths.mjs';
import { runJest } from '../testing/run-jest.ts';

/** Tests that need a shop, a browser and the public address, and neither the database nor the launcher. */
const tests = ['signs a new customer in, out, and in again', 'keeps the sessions of two organizations apart'];
/** Where `demo seed` registers the shop unless it is told otherwise. */
const ports = { shop: 4000, kiosk: 4001 };
const startTimeoutMs = 60_000;

/**
 * Starts the example shop beside a stack, and signs customers up there as they would in a browser: offer, claim with a
 * passkey, sign-in and sign-out by OpenID Connect. `folder` is for files of this run; `organizations` come from
 * `demo seed`.
 */
export async function tryShop(folder: string, baseUrl: string, organizations: unknown[]): Promise<void> {
  const demoFile = join(folder, 'demo.json');
  const address = plainAddress(baseUrl);
  const readyUrl = shopReadyUrl(address, ports);
  const services = [{ name: 'shop', replica: 1, pid: null, readyUrl }];
  writeFileSync(demoFile, JSON.stringify({ baseUrl, services, organizations }), { mode: 0o600 });
  const program = join(root, 'examples', 'shop', 'src', 'main.ts');
  const shop = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: {
      PATH: process.env.PATH,
      DEMO_FILE: demoFile,
      SHOP_DATA: join(folder, 'shop'),
      ...shopVariables(address, ports),
      HOLDFAST_EXIT_WITH_PARENT: '1',
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(shop, 'exit');
  try {
    await untilReady(readyUrl, ended);
    const jestArgs = ['--testNamePattern', tests.join('|'), '--runTestsByPath', 'apps/e2e/src/browser/shop.spec.ts'];
    const { passed, failed } = await runJest({ stage: 'e2e', folder, jestArgs, env: { HOLDFAST_DEMO: demoFile } });
    if (failed > 0 || passed === 0) throw new Error('Customers could not claim or sign in. The errors are above.');
    print('Customers claim with a passkey in Chromium, and sign in and out at the example shop.');
  } finally {
    shop.kill();
    await ended;
  }
}

async function untilReady(url: string, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const deadline = Date.now() + startTimeoutMs;
  while (!(await isReady(url, 'localhost'))) {
    if (hasEnded) throw new Error('The example shop has ended. Its last words are above.');
    if (Date.now() > deadline) throw new Error(`The example shop did not respond at ${url} in 60 s.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
