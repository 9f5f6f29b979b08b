// From the link that `npm start` prints: the owner, who does the rest at the hub; an employee, a group that is assigned
// to the staff area and to an app of people, and the end of the employee's rights.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { Browser } from 'playwright-core';
import { listAssignments, type Group, type invitePerson, type ManagedApp, type ReplyOf } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { stack } from '../clients/under-test.ts';
import { busClient, operatorActor, type BusClient } from '../stack/nats.ts';
import type { App, Demo } from '../stack/stack.ts';
import { desktop, launch, phone, Visitor } from './chromium.fixture.ts';
import { claimByMessage, shopOf, shownClaim, signUp } from './shop.fixture.ts';
import { acceptInvitation, demoOrganization, groupOf, openStaffArea, signInAsStaff } from './staff.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

type CreatedApp = ManagedApp & { secret: { clientSecret: string } };

withBrowser('the staff area of the example shop in a browser', () => {
  let browser: Browser;
  let operator: BusClient;
  let visitors: Visitor[];
  beforeAll(async () => {
    browser = await launch();
    operator = await busClient(stack, 'operator', 'acme', operatorActor);
  });
  beforeEach(() => void (visitors = []));
  afterEach(async () => {
    const errors = visitors.flatMap((visitor) => visitor.errors);
    for (const visitor of visitors) await visitor.close();
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await operator?.close();
    await browser?.close();
  });

  const open = async (viewport = desktop) => {
    const visitor = await Visitor.open(browser, { viewport });
    visitors.push(visitor);
    return visitor;
  };
  const openStaff = async (name: string) => {
    const visitor = await openStaffArea(browser, 'acme', name);
    visitors.push(visitor);
    return visitor;
  };
  const staffPage = () => `${shopOf('acme')}/staff`;
  const isStaff = async ({ page }: Visitor) => {
    await page.goto(staffPage());
    return (await page.getByRole('heading', { level: 1 }).textContent())!.startsWith('Hello, ');
  };

  it('lets the owner in by the printed link, and an employee as long as their group is assigned', async () => {
    const owner = await open(phone);
    await acceptInvitation(owner, demoOrganization('acme').ownerInvitationUrl!);
    await signInAsStaff(owner, 'acme', 'Olivia Owner');
    expect(await shownClaim(owner, 'groups')).toBe('Management, Staff');

    // The owner signs in to the hub, whose cookie authorizes requests of its page to the Admin API. Nobody else makes a
    // change from here on.
    await owner.page.goto(`${stack.baseUrl}/hub/acme/sign-in`);
    await owner.heading('Overview');
    await owner.page.getByText('Olivia Owner').first().waitFor();
    const admin = <Body>(path: string, body: object) => postFromPage<Body>(owner, `/o/acme/api/admin/${path}`, body);
    const email = `eve.${Date.now()}@acme.example`;
    const invited = await admin<ReplyOf<typeof invitePerson>>('users', { email, name: 'Eve Employee' });
    const { user, invitationUrl } = invited.body;
    const { body: group } = await admin<Group>('groups', { name: `Baristas ${Date.now()}` });
    const staffArea = stack.app('acme', 'staff');
    const { body: rota } = await admin<CreatedApp>('apps', {
      name: `Rota ${Date.now()}`,
      kind: 'web',
      audience: 'people',
      redirectUris: staffArea.redirectUris,
    });
    const employee = await open();
    await acceptInvitation(employee, invitationUrl);

    // Not assigned yet: the issuer says so, and so does the shop.
    await employee.page.goto(staffPage());
    await employee.followLink('Sign in as staff');
    await employee.heading('You do not have access to Staff area');
    await employee.press('Back to Staff area');
    await employee.heading('This area is not open to you');
    expect(await isStaff(employee)).toBe(false);

    await admin(`groups/${group.id}/members`, { users: [user.id] });
    for (const { clientId } of [staffArea, rota]) await admin(`apps/${clientId}/assignments`, { group: group.id });
    await signInAsStaff(employee, 'acme', 'Eve Employee');
    expect([await shownClaim(employee, 'email'), await shownClaim(employee, 'groups')]).toEqual([email, group.name]);

    // A standard client in the same browser: claims of the ID token, and refresh tokens.
    const { tokens, refresh } = await standardClient(employee, {
      ...staffArea,
      clientId: rota.clientId,
      clientSecret: rota.secret.clientSecret,
    });
    expect(tokens.claims()).toMatchObject({ sub: user.id, email, name: 'Eve Employee', groups: [group.name] });
    await refresh();

    await admin(`groups/${group.id}/members/remove`, { users: [user.id] });
    const removedAt = performance.now();
    const error = await eventually(() =>
      refresh().then(
        () => false as const,
        (error: unknown) => error,
      ),
    );
    expect(error).toMatchObject({ error: 'invalid_grant' });
    process.stdout.write(`A refresh was refused ${Math.round(performance.now() - removedAt)} ms after the removal.\n`);
    await eventually(async () => !(await isStaff(employee)), 'the end of the staff session');
    process.stdout.write(`The staff session had ended after ${Math.round(performance.now() - removedAt)} ms.\n`);
    // Nor does another sign-in help, by the passkey or by what is left of the session at the issuer.
    await employee.followLink('Sign in as staff');
    await employee.heading(/You do not have access|This area is not open/);
    // This does not affect the owner, who is in another group of the same app.
    expect(await isStaff(owner)).toBe(true);
  });

  /** Sends a request from the page that is open, with its cookies. @throws unless it succeeds */
  async function postFromPage<Body>({ page }: Visitor, path: string, body: object) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const reply = await page.evaluate<{ status: number; body: Body }>(
      `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)})` +
        '.then(async (response) => ({ status: response.status, body: await response.json() }))',
    );
    if (reply.status >= 300) throw new Error(`${path} returned ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply;
  }

  /** Signs in to an app. The shop does not know the state, so it leaves the code to this client. */
  async function standardClient({ page }: Visitor, { clientId, clientSecret, redirectUris }: App) {
    const config = await oidc.discovery(
      new URL(`${stack.baseUrl}/o/acme`),
      clientId,
      undefined,
      oidc.ClientSecretBasic(clientSecret),
      { execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks] },
    );
    const checks = {
      pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
      expectedNonce: oidc.randomNonce(),
      expectedState: oidc.randomState(),
    };
    const address = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUris[0]!,
      scope: 'openid email profile groups',
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      nonce: checks.expectedNonce,
      state: checks.expectedState,
    });
    const redirected = page.waitForRequest((request) => request.url().startsWith(redirectUris[0]!));
    await page.goto(address.href);
    const tokens = await oidc.authorizationCodeGrant(config, new URL((await redirected).url()), checks);
    let refreshToken = tokens.refresh_token!;
    const refresh = async () => {
      refreshToken = (await oidc.refreshTokenGrant(config, refreshToken)).refresh_token ?? refreshToken;
    };
    return { tokens, refresh };
  }

  it('keeps the sessions of a customer and of staff apart in one browser', async () => {
    const visitor = await openStaff('Max Both');
    const ofStaff = await visitor.passkeys();
    await signUp(visitor, 'acme', 'Max');
    await claimByMessage(visitor);
    const ofCustomer = (await visitor.passkeys()).filter(
      ({ credentialId }) => credentialId !== ofStaff[0]!.credentialId,
    );
    expect(ofCustomer).toHaveLength(1);

    // The passkey of staff opens no account at the shop.
    await visitor.setPasskeys(ofStaff);
    await visitor.page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('This passkey is not known here');
    await visitor.setPasskeys(ofCustomer);
    await visitor.page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('Hello, Max');
    expect(await isStaff(visitor)).toBe(true);

    // Signing out of the shop does not end the session of staff, here or at the issuer, nor the reverse.
    await visitor.page.goto(`${shopOf('acme')}/account`);
    await visitor.press('Sign out');
    await visitor.page.getByText('You are signed out').waitFor();
    expect(await isStaff(visitor)).toBe(true);
    await visitor.page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('Hello, Max');
    await visitor.page.goto(staffPage());
    await visitor.press('Sign out');
    await visitor.page.getByText('You are signed out of the staff area').waitFor();
    await visitor.page.goto(`${shopOf('acme')}/account`);
    await visitor.heading('Hello, Max');
    // Now the passkey of the customer does not open the staff area.
    await visitor.page.goto(`${staffPage()}/sign-in`);
    await visitor.heading('This passkey is not known here');
    expect(await isStaff(visitor)).toBe(false);
  });

  it('keeps owner, groups and assignment when the demo is seeded again after the owner has accepted', async () => {
    const before = demoOrganization('acme');
    const { organizations } = await stack.operator<Pick<Demo, 'organizations'>>(
      'demo',
      'seed',
      '--known',
      join(stack.home, 'demo.json'),
    );
    const { ownerInvitationUrl: _used, ...kept } = before;
    expect(organizations.find(({ shortId }) => shortId === 'acme')).toEqual({
      ...kept,
      owner: { ...before.owner, status: 'active' },
    });
    const { clientId } = stack.app('acme', 'staff');
    const { items } = await operator.request(listAssignments, { clientId, group: groupOf('acme', 'Staff'), limit: 10 });
    expect(items).toHaveLength(1);
  });
});
