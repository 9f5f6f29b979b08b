import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launch } from './chromium.fixture.ts';
import { creationOptions, requestOptions, ServiceStub, type Reply } from './service-stub.fixture.ts';

export const claim = (more: object = {}): Reply => ({
  body: {
    organization: { name: 'Acme' },
    credentialType: { name: 'customer', display: 'Customer account' },
    state: 'open',
    recovery: false,
    expiresAt: '2026-11-24T08:49:00.000Z',
    ...more,
  },
});
export const invitation = (more: object = {}): Reply => ({
  body: {
    organization: { name: 'Acme' },
    state: 'open',
    recovery: false,
    expiresAt: '2026-11-24T08:49:00.000Z',
    ...more,
  },
});
export const signInView: Reply = { body: { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop' } } };
export const staffView: Reply = {
  body: { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Staff area' }, audience: 'people' },
};
export const options = (): Reply => ({ body: { options: creationOptions() } });
export const challenge = (): Reply => ({ body: { options: requestOptions() } });
export const token = 'T'.repeat(43);
export const link = `/o/acme/claim#${token}`;
export const invitationLink = `/o/acme/invitation#${token}`;
export const signIn = '/o/acme/sign-in/u1';
export const hub = '/hub/acme';
export const verify = '/verify';

/** The built pages in a real browser. Each test has a new context, and fails if there are errors on its console. */
export class PagesInBrowser {
  readonly service = new ServiceStub();
  page!: Page;
  base!: string;
  private browser: Browser | undefined;
  private context: BrowserContext | undefined;
  private consoleErrors: string[] = [];

  constructor() {
    beforeAll(async () => {
      [this.browser, this.base] = await Promise.all([launch(), this.service.start()]);
    });
    afterAll(async () => {
      await this.browser?.close();
      await this.service.stop();
    });
    beforeEach(async () => {
      this.consoleErrors = [];
      this.service.requests.length = 0;
      this.service.routes = {};
      await this.open();
    });
    afterEach(() => expect(this.consoleErrors).toEqual([]));
  }

  async open(more: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    await this.context?.close();
    this.context = await this.browser!.newContext({ viewport: { width: 360, height: 740 }, ...more });
    this.page = await this.context.newPage();
    // Violations of the content security policy and failed scripts are errors on the console.
    this.page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.consoleErrors.push(message.text());
    });
    this.page.on('pageerror', (error) => this.consoleErrors.push(error.message));
    this.page.on('request', (request) => {
      if (!request.url().startsWith(`${this.base}/`)) this.consoleErrors.push(`requested ${request.url()}`);
    });
  }

  /** At least one error on the console, and all of them like this. */
  expectConsoleErrors(like: RegExp): void {
    const errors = this.consoleErrors;
    this.consoleErrors = [];
    expect([errors.length > 0, errors.filter((text) => !like.test(text))]).toEqual([true, []]);
  }

  heading(text: string): Promise<void> {
    return this.page.getByRole('heading', { level: 1, name: text }).waitFor();
  }

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name }).click();
  }

  focused(): Promise<string | undefined> {
    return this.page.evaluate(() => document.activeElement?.tagName);
  }
}
