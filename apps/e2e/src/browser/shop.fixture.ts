import { stack } from '../under-test.ts';
import type { Visitor } from './chromium.fixture.ts';

/** Where the example shop is, as the stack tells newcomers. */
export function shopOf(org: string): string {
  const shop = stack.demo.services.find(({ name }) => name === 'shop');
  if (!shop) throw new Error('demo.json has no shop: was the stack started with --no-examples?');
  return `${new URL(shop.readyUrl).origin}/${org}`;
}

/** The sign-up form, up to the letter with the claim link. */
export async function signUp({ page }: Visitor, org: string, name: string): Promise<void> {
  await page.goto(shopOf(org));
  await page.getByRole('link', { name: 'Sign up' }).first().click();
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Your e-mail').fill(`${name.toLowerCase().replaceAll(' ', '.')}@example.com`);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { level: 1, name: `Almost done, ${name}` }).waitFor();
}

/** From the letter to the shop's word that the passkey is ready. */
export async function claimByLetter(visitor: Visitor): Promise<void> {
  await visitor.page.getByRole('link', { name: 'Create my passkey' }).click();
  await visitor.press('Create my passkey');
  await visitor.heading('Your passkey is ready');
  await visitor.follow('Continue');
  await visitor.page.getByRole('link', { name: 'Sign in now' }).waitFor();
}

/** What the account page says that it was told. */
export async function shownClaim({ page }: Visitor, claim: string): Promise<string> {
  return (await page.locator(`[data-claim="${claim}"]`).textContent()) ?? '';
}
