// The example with Express, by its commands in docs/quickstarts.md, in a browser.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { holdfastClient } from '@holdfast/sdk';
import { eventually } from '@holdfast/testing';
import { launch, Visitor } from '../browser/chromium.fixture.ts';
import { withBrowser } from '../browser/with-browser.fixture.ts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { receiverOrigin } from '../stack/config.ts';
import { Example } from './example.fixture.ts';

withBrowser('the example with Express', () => {
  // The one address of this machine that the stack may call, so that logout tokens arrive.
  const origin = receiverOrigin();
  let org: string;
  let example: Example;
  let browser: Browser;
  let visitor: Visitor;
  /** A customer who is signed in at the beginning of each test. */
  let subject: string;
  beforeAll(async () => {
    org = await stack.newOrganization();
    example = await Example.make('express', ['--create', `--organization=${org}`, `--origin=${origin}`]);
    await example.start(/Open /);
    browser = await launch();
    visitor = await Visitor.open(browser);
    subject = await becomeCustomer();
  });
  afterAll(async () => {
    example?.stop();
    await browser?.close();
    closeConnections();
  });

  const becomeCustomer = async (): Promise<string> => {
    await visitor.page.goto(origin);
    await visitor.press('Sign up');
    await visitor.followLink('Create my passkey');
    await visitor.press('Create my passkey');
    await visitor.followLink('Continue');
    return signIn();
  };
  const signIn = async (): Promise<string> => {
    await visitor.heading('Welcome');
    await visitor.followLink('Sign in');
    await visitor.heading('Hello');
    return (await visitor.page.locator('#subject').textContent())!;
  };
  const shown = async (url: string): Promise<[status: number | undefined, heading: string]> => {
    const response = await visitor.page.goto(url);
    return [response?.status(), await visitor.page.getByRole('heading').innerText()];
  };

  it('has a secret that only its owner can read', () => {
    expect(statSync(join(example.folder, '.env')).mode & 0o777).toBe(0o600);
    const { CLIENT_SECRET: secret, ...settings } = example.settings;
    expect(settings).toEqual({ ISSUER: `${stack.baseUrl}/o/${org}`, CLIENT_ID: expect.any(String), ORIGIN: origin });
    expect(secret).toMatch(/^\S{40,}$/);
    expect(example.instructions + example.output).not.toContain(secret!);
  });

  it('signs a customer in who has claimed its offer, out at both, and in again', async () => {
    expect(visitor.page.url()).toBe(`${origin}/`);
    const cookies = await visitor.page.context().cookies(origin);
    expect(cookies.find(({ name }) => name === 'express-example')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    // The session at Holdfast has ended as well: it requests the passkey again.
    const before = visitor.passkeyRequests.length;
    await visitor.press('Sign out');
    expect(await signIn()).toBe(subject);
    expect(visitor.passkeyRequests.length).toBeGreaterThan(before);
    expect(visitor.errors).toEqual([]);
  });

  it('says what to do when a response does not belong to a sign-in, or comes a second time', async () => {
    const responses: string[] = [];
    visitor.page.on('request', (request) => void (request.url().includes('code=') && responses.push(request.url())));
    await visitor.press('Sign out');
    await signIn();

    const other = await Visitor.open(browser);
    const inOther = async (url: string) => {
      const response = await other.page.goto(url);
      return [response?.status(), await other.page.getByRole('heading').innerText()];
    };
    expect(await inOther(`${origin}/callback?code=a&state=b`)).toEqual([400, 'Please sign in again']);
    // Now a sign-in is pending there, with another state.
    await other.page.goto(`${origin}/sign-in`);
    expect(await inOther(responses[0]!)).toEqual([400, 'Please sign in again']);
    await other.close();
    await visitor.press('Sign out');
    await visitor.heading('Welcome');
    expect(await shown(responses[0]!)).toEqual([400, 'Please sign in again']);
    await visitor.followLink('Sign in');
    await visitor.heading('Hello');
    expect(example.output).not.toContain(new URL(responses[0]!).searchParams.get('code')!);
  });

  it('changes nothing for a form of another site, and for a logout token that Holdfast did not sign', async () => {
    const post = (path: string, body = '') =>
      fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(body), redirect: 'manual' });
    const statuses = [
      await post('/sign-up'),
      await post('/sign-out'),
      await post('/backchannel-logout', 'logout_token=a'),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 400]);
  });

  it('ends the session when Holdfast has revoked the credential', async () => {
    const { CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '' } = example.settings;
    await stack.operator('grant', 'add', clientId, 'issued:read', 'issued:manage');
    const holdfast = holdfastClient({ baseUrl: stack.baseUrl, organization: org, clientId, clientSecret });
    const { credentials } = await holdfast.getSubject({ path: { subject } });
    await holdfast.revokeCredential({ path: { id: credentials[0]!.id }, body: {} });
    await eventually(async () => (await shown(origin))[1] === 'Welcome', 'the end of the session');
    // The passkey is still there, and gives no access.
    await visitor.followLink('Sign in');
    await visitor.page.getByText('Your passkey gives no access').waitFor();
  });
});
