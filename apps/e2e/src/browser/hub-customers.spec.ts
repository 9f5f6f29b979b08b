// Customers at the hub in a browser: support helps one who cannot sign in, and an owner erases one.
import { beforeAll, expect, it } from '@jest/globals';
import type { Offer, Subject } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';
import { Visitor } from './chromium.fixture.ts';
import { hubTest } from './hub.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('customers at the hub in a browser', () => {
  const test = hubTest();
  const { hub, open } = test;
  let shop: Client;
  beforeAll(async () => {
    shop = new Client(stack, await stack.newApp(test.org, 'shop', customerScopes));
  });

  const claimInBrowser = async (claimUrl: string) => {
    const customer = await Visitor.open(test.browser);
    test.visitors.push(customer);
    await customer.page.goto(claimUrl);
    // The authenticator has the passkey before the claim is complete.
    const completed = customer.page.waitForResponse((response) => response.url().endsWith('/api/claim/complete'));
    await customer.page.getByRole('button').first().click();
    expect((await completed).status()).toBe(200);
  };

  it('lets support offer to a customer, see the claim, suspend, resume and offer again', async () => {
    const support = await open('Sue Support', ['support']);
    const { page } = support;
    await support.followLink('Customers');
    await support.heading('Customers');
    await page.getByText('No customer matches').waitFor();
    await support.press('New offer');
    await support.heading('New offer');
    await support.press('Create the link');
    await page.getByText('Has not claimed the offer yet').waitFor();
    await page.getByRole('img', { name: 'QR code of the claim link' }).waitFor();
    const claimUrl = await page.getByLabel('Claim link', { exact: true }).inputValue();
    const subject = new URL(page.url()).pathname.split('/').at(-1)!;
    await claimInBrowser(claimUrl);

    await page.reload();
    await page.getByText('Can sign in, and has not yet').waitFor();
    expect(await page.getByLabel('Claim link', { exact: true }).count()).toBe(0);
    // The app sees the customer whom support has made.
    expect((await shop.call<Subject>('GET', `${shop.api}/credentials/subjects/${subject}`)).body.claimed).toBe(true);
    await support.press('Suspend');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('Cannot sign in: the credential is suspended').waitFor();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByText('Can sign in, and has not yet').waitFor();
    await page.getByRole('cell', { name: 'credential.resume' }).waitFor();
    await page.getByRole('button', { name: 'Offer again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Offer again' }).click();
    expect(await page.getByLabel('Claim link', { exact: true }).inputValue()).not.toBe(claimUrl);
    // What the role does not have is absent.
    for (const name of ['Revoke', 'Erase']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    await support.followLink('Customers');
    await page.getByLabel('ID of a customer').fill('x');
    await support.press('Open');
    await page.getByText('This is not the ID of a customer').waitFor();
    await page.getByLabel('ID of a customer').fill(subject.toUpperCase());
    await support.press('Open');
    await support.heading(/^Customer /);
  });

  it('lets an owner erase a customer after a typed confirmation, and keeps filters in the address', async () => {
    const owner = await open('Otto Owner', ['owner']);
    const { page } = owner;
    const { body: offer } = await shop.offer<Offer>();
    await page.goto(hub(`/customers?claimed=false&app=${shop.app.clientId}`));
    await owner.heading('Customers');
    await page.getByRole('link', { name: offer.subject.slice(0, 8) }).click();
    await owner.heading(/^Customer /);
    await owner.press('Erase');
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Erase' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('textbox').fill(offer.subject.slice(0, 8));
    await confirm.click();
    await owner.heading('Customers');
    await page.goto(hub(`/customers/${offer.subject}`));
    await page.getByText('It does not exist any more').waitFor();
    // Back leads to the list with its filters.
    await page.goto(hub(`/customers?claimed=true`));
    await owner.heading('Customers');
    await page.getByRole('link', { name: '…' }).first().click();
    await owner.heading(/^Customer /);
    await page.goBack();
    await owner.heading('Customers');
    expect(new URL(page.url()).search).toBe('?claimed=true');
    expect(await page.getByLabel('Has claimed a credential').inputValue()).toBe('true');
  });

  it('refuses with a word what a person does in a dialog after the role was removed', async () => {
    const support = await open('Rita Removed', ['support']);
    const { page } = support;
    const { body: offer } = await shop.offer<Offer>();
    await page.goto(hub(`/customers/${offer.subject}`));
    await support.press('Withdraw');
    const owner = await HubUser.make(test.org, ['owner']);
    const { body } = await owner.call<{ items: { id: string }[] }>('GET', '/users?q=Rita');
    expect((await owner.call('POST', `/users/${body.items[0]!.id}/roles`, { roles: ['approver'] })).status).toBe(200);
    await eventually(() =>
      page.evaluate<boolean>(
        `fetch('/o/${test.org}/api/credentials/subjects/${offer.subject}').then((r) => r.status === 403)`,
      ),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Your roles do not allow this').waitFor();
    expect((await shop.getOffer(offer.offerId)).body.status).toBe('open');
    await page.reload();
    await page.getByText('Your roles do not allow this').waitFor();
    expect(await page.getByRole('link', { name: 'Customers' }).count()).toBe(0);
  });

  it('shows two organizations side by side in one browser, each with its own customers', async () => {
    const here = await open('Hanna Here', ['owner']);
    const { body: offer } = await shop.offer<Offer>();
    const elsewhere = await stack.newOrganization();
    const other = new Client(stack, await stack.newApp(elsewhere, 'kiosk', customerScopes));
    await other.offer();
    const stranger = await HubUser.make(elsewhere, ['owner']);
    const page = await here.page.context().newPage();
    const [name, value] = stranger.cookie.split('=') as [string, string];
    await page.context().addCookies([{ name, value, url: stack.baseUrl, httpOnly: true, sameSite: 'Strict' }]);
    await page.goto(`${stack.baseUrl}/hub/${elsewhere}/customers`);
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    await eventually(async () => (await page.getByRole('row').count()) === 2);
    await here.page.goto(hub('/customers'));
    await here.page.getByRole('link', { name: offer.subject.slice(0, 8) }).waitFor();
    await page.goto(`${stack.baseUrl}/hub/${elsewhere}/customers/${offer.subject}`);
    await page.getByText('It does not exist any more').waitFor();
    await page.close();
  });
});
