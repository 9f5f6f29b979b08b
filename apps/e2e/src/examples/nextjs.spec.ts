// The example with Next.js, by its commands in docs/quickstarts.md, in a browser: `npm run examples`.
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

const isLongForm = process.env.HOLDFAST_EXAMPLES === 'all';

withBrowser('the example with Next.js', () => {
  const whenInstalled = isLongForm ? it : it.skip;
  const origin = receiverOrigin();
  let org: string;
  let example: Example | undefined;
  let browser: Browser | undefined;
  let visitor: Visitor;
  beforeAll(async () => {
    if (!isLongForm) return;
    org = await stack.newOrganization();
    const options = ['--create', `--organization=${org}`, `--origin=${origin}`];
    example = await Example.make('nextjs', options, true);
    await example.start(/Ready/, '--port', new URL(origin).port);
    browser = await launch();
    visitor = await Visitor.open(browser);
  });
  afterAll(async () => {
    example?.stop();
    await browser?.close();
    closeConnections();
  });

  const signIn = async (): Promise<string> => {
    await visitor.heading('Welcome');
    await visitor.followLink('Sign in');
    await visitor.heading('Hello');
    return (await visitor.page.locator('#subject').textContent())!;
  };
  const heading = async (url: string): Promise<string> => {
    await visitor.page.goto(url);
    return visitor.page.getByRole('heading').innerText();
  };

  whenInstalled('signs a customer in and out, and ends the session when the credential is revoked', async () => {
    const responses: string[] = [];
    visitor.page.on('request', (request) => void (request.url().includes('code=') && responses.push(request.url())));
    await visitor.page.goto(origin);
    await visitor.press('Sign up');
    await visitor.press('Create my passkey');
    await visitor.followLink('Continue');
    const subject = await signIn();
    const cookies = await visitor.page.context().cookies(origin);
    expect(cookies.find(({ name }) => name === 'nextjs-example')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });

    await visitor.press('Sign out');
    await visitor.heading('Welcome');
    expect(await heading(responses[0]!)).toBe('Please sign in again');
    expect(await heading(`${origin}/callback?code=a&state=b`)).toBe('Please sign in again');
    await visitor.page.goto(origin);
    expect(await signIn()).toBe(subject);

    const { CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '' } = example!.settings;
    await stack.operator('grant', 'add', clientId, 'issued:read', 'issued:manage');
    const holdfast = holdfastClient({ baseUrl: stack.baseUrl, organization: org, clientId, clientSecret });
    const { credentials } = await holdfast.getSubject({ path: { subject } });
    await holdfast.revokeCredential({ path: { id: credentials[0]!.id }, body: {} });
    await eventually(async () => (await heading(origin)) === 'Welcome', 'the end of the session');
    await visitor.followLink('Sign in');
    await visitor.heading('No access');
  });

  whenInstalled('changes nothing for a form of another site, and for a wrong logout token', async () => {
    const statuses = ['/sign-up', '/sign-out', '/backchannel-logout'].map(async (path) => {
      const { status } = await fetch(origin + path, { method: 'POST', redirect: 'manual' });
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([403, 403, 400]);
  });
});
