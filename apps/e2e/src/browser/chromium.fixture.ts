import { existsSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  type Page,
} from 'playwright-core';

const executables = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * @param more arguments of Chromium
 * @throws {Error} when there is no Chromium: a missing browser fails the tests
 */
export async function launch(...more: string[]): Promise<Browser> {
  const executablePath = executables.find((path) => existsSync(path));
  if (!executablePath)
    throw new Error(
      'No Chromium found. Install it (on Debian: apt-get install chromium), ' +
        'or set HOLDFAST_NO_BROWSER=1 to skip these tests.',
    );
  return chromium.launch({ executablePath, args: [...args, ...more] });
}

export const phone = { width: 360, height: 740 };
export const desktop = { width: 1280, height: 800 };

interface Passkey {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
}

const passkeyRequest = 'passkey request: ';

/** Runs in the page before its own scripts. */
const reportMediation = `
  const container = Object.getPrototypeOf(navigator.credentials ?? {});
  const { get } = container;
  if (get) container.get = function (options) {
    console.debug(${JSON.stringify(passkeyRequest)} + (options?.mediation ?? 'modal'));
    return get.call(this, options);
  };`;

interface VisitorOptions {
  viewport?: { width: number; height: number };
  /** Whether the authenticator confirms by itself. */
  present?: boolean;
  host?: string;
  userAgent?: string;
  /** Whether its passkeys are on other devices of the person too, as those of a password manager. */
  synced?: boolean;
  /** Further options of the browser context, such as language and theme. */
  context?: BrowserContextOptions;
}

/** A browser context with a virtual authenticator, which stores passkeys and confirms at once. */
export class Visitor {
  readonly page: Page;
  /** Errors of the page's scripts, violations of its policy, and requests to other hosts. */
  readonly errors: string[] = [];
  /** The mediation of each passkey request of the page, in order. `conditional` shows suggestions without a dialog. */
  readonly passkeyRequests: string[] = [];
  readonly #context: BrowserContext;
  readonly #cdp: CDPSession;
  readonly #authenticator: string;

  private constructor(context: BrowserContext, page: Page, cdp: CDPSession, authenticator: string, host: string) {
    this.page = page;
    this.#context = context;
    this.#cdp = cdp;
    this.#authenticator = authenticator;
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.errors.push(message.text());
    });
    page.on('console', (message) => {
      if (message.text().startsWith(passkeyRequest))
        this.passkeyRequests.push(message.text().slice(passkeyRequest.length));
    });
    page.on('request', (request) => {
      // The URL of a worker's blob contains the page's.
      if (new URL(request.url().replace(/^blob:/, '')).hostname !== host)
        this.errors.push(`request to another host: ${request.url()}`);
    });
  }

  static async open(
    browser: Browser,
    {
      viewport = phone,
      present = true,
      host = 'localhost',
      userAgent,
      synced = false,
      context: more,
    }: VisitorOptions = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({ viewport, ...(userAgent !== undefined && { userAgent }), ...more });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: present,
        defaultBackupEligibility: synced,
        defaultBackupState: synced,
      },
    });
    await page.addInitScript(reportMediation);
    return new Visitor(context, page, cdp, authenticatorId, host);
  }

  /** Whether the authenticator confirms by itself, from the next request on. */
  setAutomaticConfirmation(enabled: boolean): Promise<unknown> {
    return this.#cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#authenticator, enabled });
  }

  async passkeys(): Promise<Passkey[]> {
    return (await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: this.#authenticator })).credentials;
  }

  /** Replaces all passkeys of the authenticator. */
  async setPasskeys(passkeys: Passkey[]): Promise<void> {
    await this.#cdp.send('WebAuthn.clearCredentials', { authenticatorId: this.#authenticator });
    for (const credential of passkeys)
      await this.#cdp.send('WebAuthn.addCredential', { authenticatorId: this.#authenticator, credential });
  }

  heading(text: string | RegExp): Promise<void> {
    return this.page.getByRole('heading', { level: 1, name: text }).waitFor();
  }

  press(name: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name }).click();
  }

  followLink(name: string | RegExp): Promise<void> {
    return this.page.getByRole('link', { name }).first().click();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
