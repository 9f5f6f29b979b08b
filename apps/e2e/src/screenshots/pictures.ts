import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { Visitor } from '../browser/chromium.fixture.ts';
import type { Prepared } from './prepare.ts';

interface Picture {
  name: string;
  page: Page;
}

/** Each screen of the hub and each page of customers, when it is ready for its picture. */
export async function* pictures(
  browser: Browser,
  prepared: Prepared,
  options: BrowserContextOptions,
): AsyncGenerator<Picture> {
  yield* ofCustomers(browser, prepared, options);
  yield* ofHub(browser, prepared, options);
}

async function* ofCustomers(
  browser: Browser,
  { baseUrl, org, claimUrl, shop, customerPasskeys }: Prepared,
  options: BrowserContextOptions,
): AsyncGenerator<Picture> {
  const visitor = await Visitor.open(browser, { context: options, present: false });
  const { page } = visitor;
  const show = async (name: string, address: string): Promise<Picture> => {
    await page.goto(address);
    // A page that still asks for what it shows says "One moment …".
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: '…' }).waitFor();
    return { name, page };
  };
  const parameters = new URLSearchParams({
    client_id: shop.clientId,
    redirect_uri: shop.redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'picture',
  });
  yield await show('page-organization', `${baseUrl}/o/${org}`);
  yield await show('page-claim', claimUrl);
  yield await show('page-claim-unknown', `${baseUrl}/o/${org}/claim#${'x'.repeat(43)}`);
  yield await show('page-sign-in', `${baseUrl}/o/${org}/authorize?${parameters.toString()}`);
  yield await show('page-account', `${baseUrl}/o/${org}/account`);
  yield await show('page-not-found', `${baseUrl}/o/${org}/nothing`);
  await visitor.setPasskeys(customerPasskeys);
  await visitor.setAutomaticConfirmation(true);
  // The page asks for the passkey by itself.
  await page.goto(`${baseUrl}/o/${org}/account`);
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  yield { name: 'page-account-signed-in', page };
  // Its counter has grown, and a passkey whose counter goes back is refused.
  customerPasskeys.splice(0, Infinity, ...(await visitor.passkeys()));
  await visitor.close();
}

async function* ofHub(
  browser: Browser,
  { baseUrl, org, ownerPasskeys, customers, group, webhook, shop, staffApp }: Prepared,
  options: BrowserContextOptions,
): AsyncGenerator<Picture> {
  const visitor = await Visitor.open(browser, { context: options });
  const { page } = visitor;
  await visitor.setPasskeys(ownerPasskeys);
  const show = async (name: string, path: string): Promise<Picture> => {
    await page.goto(`${baseUrl}/hub/${org}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // Everything is read, and drawn.
    await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(300);
    return { name, page };
  };
  yield await show('hub-signed-out', '');
  await page.getByRole('link').first().click();
  await page.getByRole('navigation').waitFor();
  const paths = {
    overview: '',
    customers: '/customers',
    'new-offer': '/customers/new',
    customer: `/customers/${customers[0]}`,
    'customer-waiting': `/customers/${customers[1]}`,
    apps: '/apps',
    'new-app': '/apps/new',
    app: `/apps/${shop.clientId}`,
    'app-of-people': `/apps/${staffApp}`,
    people: '/people',
    invite: '/people/invite',
    groups: '/groups',
    group: `/groups/${group}`,
    'access-requests': '/access-requests',
    entitlements: '/entitlements',
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook}`,
    'shared-signals': '/shared-signals',
    'audit-log': '/audit-log',
    checkpoints: '/checkpoints',
    exports: '/exports',
    destinations: '/destinations',
    organization: '/organization',
    'credential-types': '/credential-types',
    keys: '/keys',
    presence: '/presence',
    account: '/account',
    'my-access': '/my-access',
    'not-found': '/nothing',
  };
  for (const [name, path] of Object.entries(paths)) yield await show(`hub-${name}`, path);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.waitForTimeout(300);
  yield { name: 'hub-go-to', page };
  ownerPasskeys.splice(0, Infinity, ...(await visitor.passkeys()));
  await visitor.close();
}
