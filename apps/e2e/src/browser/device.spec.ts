// A sign-in on a device without a browser (RFC 8628): the code is entered in a browser in which the customer has a
// passkey.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { Browser } from 'playwright-core';
import { closeConnections } from '../clients/http.ts';
import { demoClient, stack } from '../clients/under-test.ts';
import { desktop, launch, phone, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('a device without a browser', () => {
  let browser: Browser;
  let visitor: Visitor;
  let config: oidc.Configuration;
  let name: string;
  beforeAll(async () => {
    browser = await launch();
    name = `TV ${Date.now()}`;
    const app = await stack.createApp({ org: 'acme', name, kind: 'native', deviceAuthorization: true });
    const issuer = new URL(`${stack.baseUrl}/o/acme`);
    const execute = [oidc.allowInsecureRequests];
    config = await oidc.discovery(issuer, app.clientId, undefined, oidc.None(), { execute });
  });
  afterAll(async () => {
    await browser?.close();
    closeConnections();
  });
  beforeEach(async () => {
    visitor = await Visitor.open(browser, { viewport: phone });
    const { body } = await demoClient('acme', 'shop').offer<{ claimUrl: string; subject: string }>({});
    subject = body.subject;
    await visitor.page.goto(body.claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
  });
  let subject: string;
  afterEach(async () => {
    const { errors } = visitor;
    await visitor.close();
    expect(errors).toEqual([]);
  });
  const begin = () => oidc.initiateDeviceAuthorization(config, { scope: 'openid' });

  it('is signed in with the passkey of a customer who types its code', async () => {
    const codes = await begin();
    const { page } = visitor;
    await page.goto(codes.verification_uri);
    await visitor.heading('Sign in on your device');
    await page.getByLabel('Code').fill('BCDF-BCDF');
    await visitor.press('Continue');
    await page.getByRole('alert').filter({ hasText: 'No device shows this code' }).waitFor();
    await page.getByLabel('Code').fill(codes.user_code.toLowerCase());
    await visitor.press('Continue');
    await visitor.heading(`Sign in to ${name} on your device?`);
    await page.getByText(codes.user_code).waitFor();
    await visitor.press('This is my device');
    await visitor.heading(`You are signed in to ${name}`);
    const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0 });
    expect(tokens.claims()!.sub).toBe(subject);
  });

  it('is not signed in by a customer who says that it is not theirs, or who leaves the sign-in page', async () => {
    await visitor.setAutomaticConfirmation(false);
    const [denied, left] = [await begin(), await begin()];
    const { page } = visitor;
    await page.setViewportSize(desktop);
    await page.goto(denied.verification_uri_complete!);
    await visitor.press('This is not my device');
    await visitor.heading('The device is not signed in');
    await page.goto(left.verification_uri_complete!);
    await visitor.press('This is my device');
    await visitor.heading(`Sign in to ${name}`);
    await page.getByText('This signs in the device that shows the code').waitFor();
    await visitor.press('Do not sign the device in');
    await visitor.heading('The device is not signed in');
    for (const codes of [denied, left])
      await expect(oidc.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0 })).rejects.toMatchObject({
        error: 'access_denied',
      });
  });
});
