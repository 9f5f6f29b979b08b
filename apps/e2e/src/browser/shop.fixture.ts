import { stack } from '../clients/under-test.ts';
import type { Stack } from '../stack/stack.ts';
import type { Visitor } from './chromium.fixture.ts';

/** Address of the example shop, from demo.json. */
export function shopOf(org: string, of: Pick<Stack, 'demo'> = stack): string {
  const shop = of.demo.services.find(({ name }) => name === 'shop');
  if (!shop) throw new Error('demo.json has no shop: was the stack started with --no-examples?');
  return `${new URL(shop.readyUrl).origin}/${org}`;
}

/** Fills in the sign-up form. The shop then shows the message with the claim link. */
export async function signUp({ page }: Visitor, org: string, name: string, shop = shopOf(org)): Promise<void> {
  await page.goto(shop);
  await page.getByRole('link', { name: 'Sign up' }).first().click();
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Your e-mail').fill(`${name.toLowerCase().replaceAll(' ', '.')}@example.com`);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { level: 1, name: `Almost done, ${name}` }).waitFor();
}

/** Follows the claim link of the message, creates the passkey and returns to the shop. */
export async function claimByMessage(visitor: Visitor): Promise<void> {
  await visitor.page.getByRole('link', { name: 'Create my passkey' }).click();
  await visitor.press('Create my passkey');
  await visitor.heading('Your passkey is ready');
  await visitor.followLink('Continue');
  await visitor.page.getByRole('link', { name: 'Sign in now' }).waitFor();
}

/** The value of a claim on the account page. */
export async function shownClaim({ page }: Visitor, claim: string): Promise<string> {
  return (await page.locator(`[data-claim="${claim}"]`).textContent()) ?? '';
}
