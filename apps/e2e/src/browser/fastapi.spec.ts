// The example of examples/fastapi, with the client for Python from its wheel, in a browser with a passkey.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually } from '@holdfast/testing';
import { InstalledClient, withPython } from '../api/python.fixture.ts';
import { Client } from '../clients/client.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newCustomer, signIn } from '../sign-in/customer.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { receiverOrigin } from '../stack/config.ts';
import { root } from '../stack/stack.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

const packages = ['authlib', 'fastapi', 'httpx', 'itsdangerous', 'uvicorn', 'cryptography'];

withPython(packages, 'the example on FastAPI', () => {
  withBrowser('in a browser', () => {
    let browser: Browser;
    let installed: InstalledClient;
    let server: ChildProcess;
    let shop: Client;
    // The one address of this machine that the stack may call, for the back-channel logout.
    const appUrl = receiverOrigin();
    let output = '';

    beforeAll(async () => {
      const org = await stack.newOrganization();
      const app = await stack.createApp({
        org,
        name: 'fastapi',
        displayName: 'FastAPI shop',
        kind: 'web',
        scopes: customerScopes,
        redirectUris: [`${appUrl}/callback`, `${appUrl}/`],
        postLogoutRedirectUris: [`${appUrl}/`],
        backchannelLogoutUri: `${appUrl}/backchannel-logout`,
      });
      shop = new Client(stack, app);
      [browser, installed] = await Promise.all([launch(), InstalledClient.install()]);
      const { hostname, port } = new URL(appUrl);
      const folder = join(root, 'examples', 'fastapi');
      server = spawn('python3', ['-m', 'uvicorn', '--app-dir', folder, '--host', hostname, '--port', port, 'app:app'], {
        env: installed.environment({
          HOLDFAST_URL: stack.baseUrl,
          ORGANIZATION: org,
          CLIENT_ID: app.clientId,
          CLIENT_SECRET: app.clientSecret,
          APP_URL: appUrl,
          SESSION_SECRET: randomBytes(32).toString('hex'),
        }),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [server.stdout!, server.stderr!])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await eventually(async () => (await fetch(appUrl)).ok, 'the app on FastAPI');
    });
    afterAll(async () => {
      await browser?.close();
      if (server?.exitCode === null) {
        server.kill();
        await once(server, 'exit');
      }
      installed?.remove();
    });
    it('signs a customer up, in and out, and ends their session when Holdfast has ended it', async () => {
      const visitor = await Visitor.open(browser);
      const { page } = visitor;
      await page.goto(appUrl);
      await page.getByLabel('Your name').fill('<Ada>');
      await visitor.press('Sign up');
      await visitor.heading('Almost done');
      await visitor.followLink('Create my passkey');
      await visitor.press('Create my passkey');
      await visitor.heading('Your passkey is ready');
      await visitor.followLink('Continue');

      await visitor.heading('Shop');
      const enter = async () => {
        await visitor.followLink('Sign in');
        await visitor.heading('Hello, <Ada>');
        expect(page.url()).toBe(`${appUrl}/`);
      };
      await enter();
      await visitor.press('Sign out');
      await visitor.heading('Shop');

      await enter();
      const [customer] = (await shop.list()).body.items;
      await shop.call('DELETE', `${shop.api}/credentials/subjects/${customer!.subject}/sessions`);
      await eventually(async () => {
        await page.goto(appUrl);
        return (await page.getByRole('heading', { level: 1 }).textContent()) === 'Shop';
      }, 'the end of the session');
      expect(output).toContain('POST /backchannel-logout HTTP/1.1" 204');
      expect(visitor.errors).toEqual([]);
      await visitor.close();
    });

    it('signs nobody in by a response to another browser, or of another issuer', async () => {
      const begun = await fetch(`${appUrl}/sign-in`, { redirect: 'manual' });
      const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
      const { authenticator } = await newCustomer(shop);
      const { location } = await signIn(new UserAgent(stack.baseUrl), begun.headers.get('location')!, authenticator);
      const callback = async (change: Record<string, string>, headers: Record<string, string>) => {
        const url = new URL(location);
        for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value);
        return (await fetch(url, { redirect: 'manual', headers })).status;
      };
      expect(new URL(location).origin).toBe(appUrl);
      expect(await callback({}, {})).toBe(400);
      expect(await callback({ iss: `${stack.baseUrl}/o/globex` }, { cookie })).toBe(400);
      expect(await callback({ state: 'another' }, { cookie })).toBe(400);
      expect(await callback({}, { cookie })).toBe(303);
    });

    it('says that a customer has no access, and ends no session by a token that Holdfast did not sign', async () => {
      const begun = await fetch(`${appUrl}/sign-in`, { redirect: 'manual' });
      const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
      const state = new URL(begun.headers.get('location')!).searchParams.get('state')!;
      const iss = `${stack.baseUrl}/o/${shop.app.org}`;
      const query = new URLSearchParams({ error: 'access_denied', state, iss });
      const denied = await fetch(`${appUrl}/callback?${query}`, { headers: { cookie } });
      expect([denied.status, await denied.text()]).toEqual([403, expect.stringContaining('You have no access')]);
      const body = new URLSearchParams({ logout_token: 'x.y.z' });
      const posted = await fetch(`${appUrl}/backchannel-logout`, { method: 'POST', body });
      expect(posted.status).toBe(400);
    });
  });
});
