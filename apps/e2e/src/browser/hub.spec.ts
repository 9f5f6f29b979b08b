// The hub in a browser, from the invitation link on: the owner makes a service app, whose request then appears in the
// audit log, with a proof that the browser verifies.
import { expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import { eventually } from '@holdfast/testing';
import { basic } from '../clients/client.ts';
import { stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';
import { phone, Visitor } from './chromium.fixture.ts';
import { fits, hubTest } from './hub.fixture.ts';
import { acceptInvitation } from './staff.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('the hub in a browser', () => {
  const test = hubTest();
  const { hub, open: openHub } = test;

  it('lets the owner make a service app, whose request appears in the audit log with a proof', async () => {
    const owner = await openHub('Olivia Owner', ['owner']);
    const { page } = owner;
    await owner.followLink('Apps');
    await owner.heading('Apps');
    await owner.press('New app');
    await owner.heading('New app');
    await page.getByRole('radio', { name: 'Service app' }).check();
    await page.getByLabel('Name', { exact: false }).first().fill('Automation');
    for (const operation of ['audit:read', 'users:read']) await page.getByRole('checkbox', { name: operation }).check();
    await owner.press('Create');
    await owner.heading('Automation');
    const clientSecret = await page.getByLabel('Client secret', { exact: true }).inputValue();
    const clientId = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(clientSecret).toMatch(/^\S{40,}$/);

    await owner.followLink('Audit log');
    await owner.heading('Audit log');
    await page.getByText('Live', { exact: true }).waitFor();
    // The log is open before the program calls: its entry appears by itself.
    const token = await fetch(`${stack.baseUrl}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: basic({ clientId, clientSecret }) },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'users:read' }),
    });
    expect(token.status).toBe(200);
    const { access_token: accessToken } = (await token.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${stack.baseUrl}/o/${test.org}/api/admin/users`, { headers })).status).toBe(200);
    await page.getByRole('button', { name: 'user.list' }).first().click();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The entry is in the log, unchanged').waitFor();

    // The secret is shown once: a reload has it no more.
    await page.goto(hub(`/apps/${clientId}`));
    await owner.heading('Automation');
    expect(await page.getByLabel('Client secret', { exact: true }).count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: 'audit:read' }).isChecked()).toBe(true);
  });

  it('shows each role its screens alone, fits a phone, and returns to a deep link after the sign-in', async () => {
    for (const [role, links] of [
      ['auditor', ['Overview', 'Customers', 'Apps', 'People', 'Audit log', 'My account']],
      ['approver', ['Overview', 'Apps', 'People', 'My account']],
      ['support', ['Overview', 'Customers', 'Apps', 'People', 'My account']],
      ['admin', ['Overview', 'Customers', 'Apps', 'People', 'Signals', 'Audit log', 'Organization', 'My account']],
    ] as const) {
      const person = await openHub(`Pat ${role}`, [role], phone);
      const shown = await person.page.getByRole('navigation').getByRole('link').allTextContents();
      expect([role, shown, await fits(person)]).toEqual([role, links, true]);
    }
    const [auditor] = test.visitors;
    const { page } = auditor!;
    await page.context().clearCookies();
    await page.goto(hub('/audit-log?action=user.list'));
    await auditor!.heading('Sign in to the hub');
    await auditor!.followLink('Sign in');
    await auditor!.heading('Audit log');
    expect(new URL(page.url()).search).toBe('?action=user.list');
    // A filter is in the address a moment after the last key, and its field keeps the focus.
    await page.getByLabel('Filter by action').fill('user.read');
    await page.waitForURL('**/audit-log?action=user.read');
    await page.keyboard.type('x');
    expect(await page.getByLabel('Filter by action').inputValue()).toBe('user.readx');
    // Each filter is a chip that removes it, and an entry sets filters.
    await auditor!.press('Remove the filter Action user.readx');
    await page.waitForURL('**/audit-log');
    expect(await page.getByLabel('Filter by action').inputValue()).toBe('');
    await page.getByText('Denied', { exact: true }).first().click();
    await page.waitForURL('**/audit-log?outcome=denied');
    await page.getByText('Denied', { exact: true }).first().click();
    await page.waitForURL('**/audit-log');
    const action = await page.getByRole('table').getByRole('button').first().innerText();
    await page.getByRole('table').getByRole('button').first().click();
    await auditor!.press('Only this action');
    await auditor!.press('Close');
    await page.waitForURL(`**/audit-log?action=${action}`);
    expect(await page.getByLabel('Filter by action').inputValue()).toBe(action);
  });

  it('ends with a word for a person who is deactivated while a form is open', async () => {
    const person = await openHub('Quinn Admin', ['admin']);
    const { page } = person;
    await page.goto(hub('/apps/new'));
    await person.heading('New app');
    await page.getByRole('radio', { name: 'Service app' }).check();
    await page.getByLabel('Name', { exact: false }).first().fill('Too late');
    const owner = await HubUser.make(test.org, ['owner']);
    const { body } = await owner.call<{ items: { id: string }[] }>('GET', '/users?q=Quinn');
    expect((await owner.call('POST', `/users/${body.items[0]!.id}/deactivate`)).status).toBe(200);
    await eventually(() =>
      page.evaluate<boolean>(`fetch('/o/${test.org}/api/admin/users/me').then((r) => r.status === 401)`),
    );
    await person.press('Create');
    await person.heading('Sign in to the hub');
  });

  it('shows hostile names as text, and asks for the name of an app before it deletes it', async () => {
    const owner = await openHub('Robin Owner', ['owner']);
    const { page } = owner;
    const name = `<img src=x onerror=alert(1)> ${Date.now()}`;
    await page.goto(hub('/apps/new'));
    await owner.heading('New app');
    await page.getByRole('radio', { name: 'Single-page app' }).check();
    await page.getByLabel('Name', { exact: false }).first().fill(name);
    await page.getByLabel('Redirect URIs').first().fill('http://evil.example/in');
    await owner.press('Create');
    await page.getByRole('alert').getByText('redirectUris').waitFor();
    // What was typed outlives a reload.
    await page.reload();
    expect(await page.getByLabel('Name', { exact: false }).first().inputValue()).toBe(name);
    await page.getByLabel('Redirect URIs').first().fill('https://shop.example/in');
    await owner.press('Create');
    await owner.heading(name);
    await owner.press('Delete');
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await confirm.click();
    await owner.heading('Apps');
    expect(await page.getByText(name).count()).toBe(0);
  });

  it('invites a person by a link that is shown once, changes their roles, and removes them', async () => {
    const owner = await openHub('Sam Owner', ['owner']);
    const { page } = owner;
    const name = `Uma ${Date.now()}`;
    await owner.followLink('People');
    await owner.heading('People');
    await owner.press('Invite');
    await owner.heading('Invite a person');
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('E-mail').fill(`uma.${Date.now()}@${test.org}.example`);
    await page.getByRole('checkbox', { name: 'Auditor' }).check();
    await owner.press('Create the link');
    await owner.heading(name);
    const invitationUrl = await page.getByLabel('Invitation link', { exact: true }).inputValue();
    const invited = await Visitor.open(test.browser);
    test.visitors.push(invited);
    await acceptInvitation(invited, invitationUrl);

    await page.reload();
    await owner.heading(name);
    expect(await page.getByLabel('Invitation link', { exact: true }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Approver' }).check();
    await owner.press('Save roles');
    await page.getByRole('status').getByText('Saved').waitFor();
    await page.reload();
    await owner.heading(name);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await owner.press('Deactivate');
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: 'Reactivate' }).waitFor();
    await owner.press('Remove');
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await owner.heading('People');
    await page.getByLabel('Find by the beginning').fill('Uma');
    await page.getByText('Nobody matches').waitFor();
  });

  it('changes name, colour and logo of the organization, which its pages then show', async () => {
    const owner = await openHub('Vera Owner', ['owner']);
    const { page } = owner;
    await owner.followLink('Organization');
    await owner.heading('Organization');
    await page.getByLabel('Name').fill('Acme Blue');
    await page.getByLabel('Help address').fill('http://acme.example');
    await page.getByLabel('Accent colour').fill('#FFCC00');
    await owner.press('Save');
    await page.getByRole('alert').getByText('helpUrl').waitFor();
    await page.getByLabel('Help address').fill('https://acme.example/help');
    await page.locator('input[type=file]').setInputFiles(logo('logo.png', 120));
    await owner.press('Save');
    await page.getByRole('status').getByText('Saved').waitFor();
    expect(await page.locator('figure img').first().getAttribute('src')).toMatch(/\/logos\/[0-9a-f]{32}$/);
    const shown = await eventually(async () => {
      const found = (await (await fetch(`${stack.baseUrl}/o/${test.org}/api/organization`)).json()) as { name: string };
      return found.name === 'Acme Blue' && found;
    });
    expect(shown).toMatchObject({ accentColor: '#ffcc00', helpUrl: 'https://acme.example/help' });
  });

  it.each([
    ['a form', '/organization', '**/admin/organization', 'Save'],
    ['a choice of roles', '', '**/roles', 'Save roles'],
  ])('keeps %s over a sign-in that a change requires', async (what, path, request, save) => {
    const owner = await openHub(`Wim ${what}`, ['owner']);
    const { page } = owner;
    const { id } = (await HubUser.make(test.org)).person;
    await page.goto(hub(path || `/people/${id}`));
    // As after ten minutes: the first change is denied.
    await page.route(request, (route) =>
      route.request().method() === 'GET'
        ? route.continue()
        : route.fulfill({ status: 401, json: { code: 'step_up_required', title: 'Sign in again', status: 401 } }),
    );
    const auditor = page.getByRole('checkbox', { name: 'Auditor' });
    const help = page.getByLabel('Help address');
    if (path) {
      await help.fill('https://acme.example/kept');
      await page.locator('input[type=file]').setInputFiles(logo('kept.png', 60));
    } else await auditor.check();
    await owner.press(save);
    await page.getByRole('dialog', { name: 'Please confirm that it is you' }).waitFor();
    await page.unroute(request);
    await owner.followLink('Sign in again');
    await page.getByRole('button', { name: save, exact: true }).waitFor();
    if (path) {
      expect(await help.inputValue()).toBe('https://acme.example/kept');
      await page.getByText('kept.png').waitFor();
    } else expect(await auditor.isChecked()).toBe(true);
    await page.getByRole('button', { name: save, exact: true }).click();
    await page.getByRole('status').getByText('Saved').waitFor();
    if (!path) return;
    await eventually(async () => {
      const organization = await fetch(`${stack.baseUrl}/o/${test.org}/api/organization`);
      const { logoPath } = (await organization.json()) as { logoPath: string };
      const stored = PNG.sync.read(Buffer.from(await (await fetch(stack.baseUrl + logoPath)).arrayBuffer()));
      expect([stored.width, stored.data[0]]).toEqual([16, 60]);
    });
  });
});

/** A picture of one grey. */
function logo(name: string, grey: number) {
  const image = new PNG({ width: 16, height: 16 });
  image.data.fill(grey);
  return { name, mimeType: 'image/png', buffer: PNG.sync.write(image) };
}
