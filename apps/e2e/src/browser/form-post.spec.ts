// `response_mode=form_post` in a browser: the page that posts to the app has its own content security policy.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { Browser } from 'playwright-core';
import { Client } from '../clients/client.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('form_post in a browser', () => {
  let browser: Browser;
  let app: Server;
  let posted: { method: string; body: string };
  let site: RelyingParty;
  beforeAll(async () => {
    app = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          if (request.url === '/in') posted = { method: request.method!, body: Buffer.concat(chunks).toString() };
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end('<!doctype html><title>in</title><h1>You are in</h1>');
        });
    }).listen(0, '127.0.0.1');
    await once(app, 'listening');
    const redirect = `http://127.0.0.1:${(app.address() as AddressInfo).port}/in`;
    const org = await stack.newOrganization();
    [browser, site] = await Promise.all([
      launch(),
      RelyingParty.make(org, 'poster', { grants: customerScopes, redirectUris: [redirect] }),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    app?.close();
    app?.closeAllConnections();
  });

  it('returns to the app by a POST that the client library accepts', async () => {
    const visitor = await Visitor.open(browser);
    const { body } = await new Client(stack, site.app).offer();
    await visitor.page.goto(body.claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
    const { url, checks } = await site.begin({ response_mode: 'form_post' });
    await visitor.page.goto(url);
    await visitor.heading('You are in');
    expect(posted.method).toBe('POST');
    const request = new Request(site.redirectUri, { method: 'POST', body: new URLSearchParams(posted.body) });
    const tokens = await oidc.authorizationCodeGrant(site.config, request, checks);
    expect(tokens.claims()!.sub).toBe(body.subject);
    await visitor.close();
  });
});
