// Changes in the hub by a browser: two tabs, a role that is taken away, keys, and the log compared with an earlier one.
import { expect, it } from '@jest/globals';
import { invitePerson } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { newKey } from '../apps/keys.fixture.ts';
import { stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';
import { busClient, operatorActor } from '../stack/nats.ts';
import { hubTest } from './hub.fixture.ts';
import { acceptInvitation } from './staff.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('changes in the hub in a browser', () => {
  const test = hubTest();
  const { hub, open } = test;

  it('shows what another tab has changed, and overwrites it only after a decision', async () => {
    const person = await open('Tess Tabs', ['owner']);
    const { page } = person;
    await page.goto(hub('/organization'));
    await person.heading('Organization');
    const other = await HubUser.make(test.org, ['owner']);
    const theirs = 'https://theirs.example/help';
    expect((await other.call('PATCH', '/organization', { helpUrl: theirs })).status).toBe(200);

    const mine = 'https://mine.example/help';
    await page.getByLabel('Help address').fill(mine);
    await person.press('Save');
    const notice = page.getByRole('alert').filter({ hasText: 'Somebody changed it in the meantime' });
    await notice.getByRole('cell', { name: theirs }).waitFor();
    await notice.getByRole('cell', { name: mine }).waitFor();
    const stored = async () => (await other.call<{ helpUrl: string }>('GET', '/organization')).body.helpUrl;
    expect(await stored()).toBe(theirs);
    await notice.getByRole('button', { name: 'Keep what is typed here' }).click();
    await person.press('Save');
    await page.getByRole('status').getByText('Saved').waitFor();
    expect(await stored()).toBe(mine);

    expect((await other.call('PATCH', '/organization', { helpUrl: theirs })).status).toBe(200);
    await page.getByLabel('Help address').fill('https://again.example/help');
    await person.press('Save');
    await person.press('Take what is stored');
    expect(await page.getByLabel('Help address').inputValue()).toBe(theirs);
  });

  it('refuses a change in an open dialog as soon as the role is taken away, and says so', async () => {
    const person = await open('Rita Role', ['admin']);
    const { page } = person;
    await page.goto(hub('/keys'));
    await person.press('Rotate the keys');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const owner = await HubUser.make(test.org, ['owner']);
    const { body } = await owner.call<{ items: { id: string }[] }>('GET', '/users?q=Rita');
    const { id } = body.items[0]!;
    expect((await owner.call('POST', `/users/${id}/roles`, { roles: ['support'] })).status).toBe(200);
    await eventually(() =>
      page.evaluate<boolean>(`fetch('/o/${test.org}/api/admin/keys').then(({ status }) => status === 403)`),
    );
    await dialog.getByRole('button', { name: 'Rotate the keys' }).click();
    await page.getByText('Your roles do not allow this').first().waitFor();
    const keys = (await owner.call<{ keys: { state: string }[] }>('GET', '/keys')).body.keys;
    expect(keys.map(({ state }) => state)).toEqual(['signing', 'signing']);
    await page.goto(hub());
    await person.heading('Overview');
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Organization' }).count()).toBe(0);
  });

  it('rotates the keys, and says why not twice; the RP ID explains a domain that does not allow it', async () => {
    const person = await open('Ken Keys', ['owner']);
    const { page } = person;
    await page.goto(hub('/keys'));
    await page.getByRole('cell', { name: 'localhost' }).waitFor();
    for (const expected of ['published, signs later', 'The keys of the last rotation sign from']) {
      const section = page.getByRole('region', { name: 'Signing keys' });
      await section.getByRole('button', { name: 'Rotate the keys' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate the keys' }).click();
      await page.getByText(expected).first().waitFor();
    }
    await page.keyboard.press('Escape');
    await person.press('Move to another domain');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New domain').fill('shop.invalid');
    await dialog.getByText('https://shop.invalid/.well-known/webauthn').waitFor();
    await dialog.getByRole('button', { name: 'Begin the move' }).click();
    await dialog.getByText('does not cover localhost').first().waitFor();
  });

  it('gives an app a key of its own, after which it has no client secret', async () => {
    const { clientId } = await stack.newApp(test.org, 'robot', ['issued:read']);
    const person = await open('Ada Key', ['owner']);
    const { page } = person;
    await page.goto(hub(`/apps/${clientId}`));
    await page.getByRole('button', { name: 'New client secret' }).waitFor();
    const section = page.getByRole('region', { name: 'Authentication' });
    await section.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Method').selectOption('private_key_jwt');
    await dialog.getByLabel('Public keys as a JSON Web Key Set').fill('no JSON');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This is no JSON').first().waitFor();
    const { publicJwk, privateJwk, kid } = await newKey();
    await dialog.getByLabel('Public keys as a JSON Web Key Set').fill(JSON.stringify({ keys: [privateJwk] }));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('secret key').first().waitFor();
    await dialog.getByLabel('Public keys as a JSON Web Key Set').fill(JSON.stringify({ keys: [publicJwk] }));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await section.getByText(kid).waitFor();
    expect(await page.getByRole('button', { name: 'New client secret' }).count()).toBe(0);
  });

  it('takes a removal from a group back for ten seconds', async () => {
    const owner = await HubUser.make(test.org, ['owner']);
    const { body: group } = await owner.call<{ id: string }>('POST', '/groups', { name: 'Service desk' });
    await owner.call('POST', `/groups/${group.id}/members`, { users: [owner.id] });
    const person = await open('Uwe Undo', ['owner']);
    const { page } = person;
    await page.goto(hub(`/groups/${group.id}`));
    await person.press('Remove');
    await page.getByText('is no member any more').waitFor();
    await page.getByText('Nobody is in it yet').waitFor();
    await person.press('Undo');
    await page.getByRole('link', { name: owner.person.name }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'hidden' });
    // A removal that fails brings the row back.
    await page.route('**/members/remove', (route) => route.fulfill({ status: 503, json: { code: 'unavailable' } }));
    await person.press('Remove');
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await page.getByRole('link', { name: owner.person.name }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'hidden' });
  });

  it('compares the log with the checkpoint that the browser kept', async () => {
    const person = await open('Cora Checkpoint', ['auditor']);
    const { page } = person;
    await person.followLink('Audit log');
    await person.followLink('Checkpoints');
    await page.getByText('This browser kept none before').waitFor();
    await page.reload();
    await page.getByText('The log continues the kept checkpoint').waitFor();
    // A checkpoint of another log: as if this one had been replaced.
    await page.evaluate(`(() => {
      const key = Object.keys(localStorage).find((name) => name.includes('checkpoint'));
      const kept = JSON.parse(localStorage.getItem(key));
      const lines = kept.note.split('\\n');
      lines[2] = btoa('x'.repeat(32));
      localStorage.setItem(key, JSON.stringify({ ...kept, note: lines.join('\\n') }));
    })()`);
    await page.reload();
    await page.getByText('The log does not continue the kept checkpoint').waitFor();
    await person.press('Keep the newest one instead');
    await page.getByText('The log continues the kept checkpoint').or(page.getByText('with no entry more')).waitFor();
  });

  it('keeps the hubs of two organizations in one browser apart', async () => {
    const person = await open('Zoe Both', ['owner']);
    const { page } = person;
    const { clientId } = await stack.newApp(test.org, 'mine', ['issued:read']);
    const otherOrg = await stack.newOrganization();
    const operator = await busClient(stack, 'operator', otherOrg, operatorActor);
    const invited = { email: `zoe@${otherOrg}.example`, name: 'Zoe Elsewhere', roles: ['owner' as const] };
    const { invitationUrl } = await operator.request(invitePerson, invited);
    await operator.close();
    // Both have one RP ID here, and a virtual authenticator does not let anybody choose.
    await person.setPasskeys([]);
    await acceptInvitation(person, invitationUrl);
    const other = `${stack.baseUrl}/hub/${otherOrg}`;
    await page.goto(other);
    await person.heading('Sign in to the hub');
    await person.followLink('Sign in');
    await person.heading('Overview');
    await page.getByText('Zoe Elsewhere').first().waitFor();
    await page.goto(`${other}/apps/${clientId}`);
    await page.getByText('It does not exist any more').waitFor();
    expect(await page.evaluate(`fetch('/o/${test.org}/api/admin/apps/${clientId}').then(({ status }) => status)`)).toBe(
      200,
    );
    await page.goto(hub(`/apps/${clientId}`));
    await person.heading('mine');
    await page.getByText('Zoe Both').first().waitFor();
    // Signing out of one leaves the other.
    await person.press('Sign out');
    await person.heading('Sign in to the hub');
    await page.goto(other);
    await person.heading('Overview');
  });

  it('shows an owner the first steps, until they hide them', async () => {
    const person = await open('Otto Owner', ['owner']);
    const { page } = person;
    await page.getByText('First steps').waitFor();
    await page.getByRole('link', { name: 'Add a second passkey to your account' }).waitFor();
    await person.press('Hide');
    expect(await page.getByText('First steps').count()).toBe(0);
    await page.reload();
    await person.heading('Overview');
    expect(await page.getByText('First steps').count()).toBe(0);
  });
});
