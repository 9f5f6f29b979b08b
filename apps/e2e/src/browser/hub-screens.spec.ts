// Every screen of the hub in a browser: by each role, without a violation of WCAG 2.2 AA in both themes, by the
// keyboard, in German, and with hostile texts in what others can set.
import { beforeAll, expect, it } from '@jest/globals';
import { operationsOf, roleNames, type RoleOperation } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';
import { phone, type Visitor } from './chromium.fixture.ts';
import { hostileTexts } from './hostile-texts.fixture.ts';
import { fits, hubTest, violationsOf } from './hub.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

/** Each screen, its title, and the operation that it needs. */
const screens: [path: string, title: string, needs?: RoleOperation][] = [
  ['', 'Overview'],
  ['/customers', 'Customers', 'issued:read'],
  ['/customers/new', 'New offer', 'offers:write'],
  ['/apps', 'Apps', 'apps:read'],
  ['/apps/new', 'New app', 'apps:manage'],
  ['/people', 'People', 'users:read'],
  ['/people/invite', 'Invite a person', 'users:manage'],
  ['/groups', 'Groups', 'groups:manage'],
  ['/access-requests', 'Access requests', 'access_requests:read'],
  ['/entitlements', 'Entitlements', 'entitlements:view'],
  ['/webhooks', 'Webhooks', 'webhooks:manage'],
  ['/shared-signals', 'Shared Signals', 'ssf:manage'],
  ['/audit-log', 'Audit log', 'audit:read'],
  ['/checkpoints', 'Checkpoints', 'audit:read'],
  ['/exports', 'Exports', 'audit:export'],
  ['/destinations', 'Destinations', 'audit:export'],
  ['/organization', 'Organization', 'organization:manage'],
  ['/credential-types', 'Credential types', 'organization:manage'],
  ['/keys', 'Keys and passkeys', 'organization:manage'],
  ['/presence', 'Proof of presence', 'organization:manage'],
  ['/account', 'My account'],
  ['/my-access', 'My access'],
];
const hostile = hostileTexts[0]!;

withBrowser('the screens of the hub in a browser', () => {
  const test = hubTest();
  const { hub, open } = test;
  let owner: HubUser;
  let made: { group: string; webhook: string; app: string; customer: string };
  beforeAll(async () => {
    owner = await HubUser.make(test.org, ['owner']);
    const shop = new Client(stack, await stack.newApp(test.org, 'shop', customerScopes));
    const create = async (path: string, body: object): Promise<{ id: string; clientId: string }> => {
      const { status, body: created } = await owner.call<{ id: string; clientId: string }>('POST', path, body);
      expect([path, status]).toEqual([path, 201]);
      return created;
    };
    const group = await create('/groups', { name: `Team ${hostile}`, description: hostile });
    const webhook = await create('/webhooks/endpoints', { url: 'https://hooks.example/in', description: hostile });
    const redirectUris = ['https://area.example/in'];
    const area = { name: `Area ${hostile}`, displayName: 'Area', kind: 'web', audience: 'people', redirectUris };
    const app = await create('/apps', area);
    await create('/audit/destinations', { kind: 'https', settings: { url: 'https://siem.example/in' } });
    await create('/ssf/receivers', { name: `SIEM ${hostile}` });
    const requester = await HubUser.make(test.org);
    const request = { app: app.clientId, reason: hostile, durationSeconds: 28_800 };
    expect((await requester.call('POST', '/access-requests', request)).status).toBe(201);
    await owner.call('POST', `/groups/${group.id}/members`, { users: [requester.id] });
    const customer = (await shop.offer()).body.subject;
    await shop.call('GET', `${shop.api}/credentials/issued/${customer}`);
    made = { group: group.id, webhook: webhook.id, app: app.clientId, customer };
  });

  const show = async ({ page }: Visitor, path: string, title: string | RegExp) => {
    await page.goto(hub(path));
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await eventually(async () => (await page.locator('[aria-label="Loading"]').count()) === 0);
  };

  it.each(roleNames)('shows the role %s what it may see, and says so of everything else', async (role) => {
    const person = await open(`Rolf ${role}`, [role]);
    const { page } = person;
    const held = operationsOf([role]);
    // As a link of the hub does it, at a tenth of the cost of a new document. Each is a deep link in the test of axe.
    const go = (path: string) => {
      const address = JSON.stringify(new URL(hub(path)).pathname);
      return page.evaluate(`history.pushState({}, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`);
    };
    const rejection = page.getByText('Your roles do not allow this');
    for (const [path, title, needs] of screens) {
      await go(path);
      if (needs === undefined || held.includes(needs)) {
        await person.heading(title);
        expect([path, await rejection.count()]).toEqual([path, 0]);
      } else {
        await rejection.first().waitFor();
        await go('');
        await person.heading('Overview');
      }
    }
  });

  it('violates no rule of axe in either theme, fits a phone, and shows hostile texts as text', async () => {
    const named = { name: hostile, email: `hostile.${Date.now()}@example.com`, roles: [] };
    expect((await owner.call('POST', '/users', named)).status).toBe(201);
    const person = await open('Axel Rod', ['owner'], phone);
    const { page } = person;
    const objects: [string, string | RegExp][] = [
      [`/groups/${made.group}`, /^Team/],
      [`/webhooks/${made.webhook}`, 'hooks.example'],
      [`/apps/${made.app}`, /^Area/],
      [`/customers/${made.customer}`, /^Customer/],
    ];
    const found: string[] = [];
    const inspect = async (what: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        found.push(...(await violationsOf(page)).map((violation) => `${what} ${colorScheme} ${violation}`));
      }
    };
    for (const [path, title] of [...screens, ...objects]) {
      await show(person, path, title);
      await inspect(path);
      if (!(await fits(person))) found.push(`${path} is wider than the phone`);
      if ((await page.evaluate('window.hit')) !== undefined) found.push(`${path} runs a hostile text`);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await inspect('palette');
    expect(found).toEqual([]);
    for (const [path, title] of [
      ['/groups', 'Groups'],
      ['/access-requests', 'Access requests'],
      ['/people', 'People'],
    ] as const) {
      await show(person, path, title);
      expect([path, await page.locator('main').innerText()]).toEqual([path, expect.stringContaining(hostile)]);
    }
  });

  it('goes anywhere by the keyboard', async () => {
    const person = await open('Kay Keyboard', ['owner']);
    const { page } = person;
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').fill('exp');
    await page.keyboard.press('Enter');
    await person.heading('Exports');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').fill(made.customer);
    await page.keyboard.press('Enter');
    await person.heading(/^Customer/);
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await show(person, '/groups', 'Groups');
    await page.getByRole('link', { name: /^Team/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await person.heading(/^Team/);
    await show(person, '/people', 'People');
    await page.keyboard.press('/');
    await page.keyboard.type('Kay');
    await page.getByRole('link', { name: 'Kay Keyboard' }).waitFor();
    await eventually(async () => (await page.getByRole('row').count()) === 2);
  });

  it('lets an approver decide, and the person who requested read the decision', async () => {
    const approver = await open('Ada Approver', ['approver']);
    const { page } = approver;
    const person = await HubUser.make(test.org);
    const reason = `Look ${Date.now()}`;
    const request = { app: made.app, reason, durationSeconds: 28_800 };
    expect((await person.call('POST', '/access-requests', request)).status).toBe(201);
    await approver.followLink('People');
    await page.getByRole('navigation', { name: 'People' }).getByRole('link', { name: 'Access requests' }).click();
    await approver.heading('Access requests');
    const row = page.getByRole('row').filter({ hasText: reason });
    await row.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('dialog').getByLabel('Reason, which the person reads').fill('Not today');
    await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
    await row.waitFor({ state: 'detached' });
    const { body } = await person.call<{ items: object[] }>('GET', '/access-requests/mine');
    expect(body.items).toMatchObject([{ status: 'denied', decisionReason: 'Not today' }]);
  });

  it('makes a webhook endpoint whose secret is shown once, and deletes it after a typed confirmation', async () => {
    const person = await open('Wanda Webhook', ['admin']);
    const { page } = person;
    await person.followLink('Signals');
    await person.heading('Webhooks');
    await person.press('New endpoint');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('http://plain.example/in');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Address').fill('https://new.example/in');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await person.heading('new.example');
    expect(await page.getByLabel('Signing secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
    await page.reload();
    await person.heading('new.example');
    expect(await page.getByLabel('Signing secret', { exact: true }).count()).toBe(0);
    await person.press('Pause');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await person.press('Delete');
    await dialog.getByRole('textbox').fill('new.example');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await person.heading('Webhooks');
    expect(await page.getByText('new.example').count()).toBe(0);
  });

  it('lists where a person is signed in, and signs them out everywhere', async () => {
    const person = await open('Olga Out', ['support']);
    const { page } = person;
    await person.followLink('My account');
    const sessions = page.getByRole('region', { name: 'Where you are signed in' });
    await sessions.getByRole('cell', { name: 'Browser' }).waitFor();
    await person.press('Sign out everywhere');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await person.heading('Sign in to the hub');
    await page.goBack();
    await person.heading('Sign in to the hub');
  });

  it('adds a passkey of the person, of whom the last one stays, and speaks German when they choose it', async () => {
    const person = await open('Gerd German', ['support']);
    const { page } = person;
    await person.followLink('My account');
    await person.heading('My account');
    await page.getByText('The last one stays').waitFor();
    // As on another device: this authenticator has none of the passkeys that the person has already.
    await person.setPasskeys([]);
    await person.press('Add a passkey');
    const passkeys = page.getByRole('region', { name: 'Passkeys' });
    await eventually(async () => (await passkeys.getByRole('row').count()) === 3);
    expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Remove' }).first().click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Language of the hub in this browser').selectOption('Deutsch');
    await person.heading('Mein Konto');
    await page.reload();
    await person.heading('Mein Konto');
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await violationsOf(page)).toEqual([]);
  });

  it('shows every hostile text in names and descriptions as text', async () => {
    const at = Date.now();
    for (const [i, name] of hostileTexts.entries()) {
      const named = { name, email: `hostile.${at}.${i}@example.com`, roles: [] };
      expect([name, (await owner.call('POST', '/users', named)).status]).toEqual([name, 201]);
      const group = { name: `${name} ${i}`, description: name };
      expect([name, (await owner.call('POST', '/groups', group)).status]).toEqual([name, 201]);
    }
    const person = await open('Hanna Hostile', ['owner']);
    const { page } = person;
    for (const [path, title] of [
      ['/groups', 'Groups'],
      ['/people', 'People'],
    ] as const) {
      await show(person, path, title);
      const more = page.getByRole('button', { name: 'Show more' });
      const main = page.locator('main');
      await eventually(async () => {
        if (await more.isVisible()) await more.click();
        const text = await main.innerText();
        expect(hostileTexts.filter((each) => !text.includes(each))).toEqual([]);
      });
      expect([path, await page.evaluate('window.hit')]).toEqual([path, undefined]);
    }
  });
});
