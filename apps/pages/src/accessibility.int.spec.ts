import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { htmlPage } from '@holdfast/platform';
import type { ExportVector } from '@holdfast/testing/audit-export-vectors';
import { account, accountView, openAccount } from './account.fixture.ts';
import { contrasts } from './contrast.fixture.ts';
import {
  challenge,
  claim,
  invitation,
  invitationLink,
  link,
  PagesInBrowser,
  signIn,
  signInView,
  staffView,
  verify,
} from './pages-in-browser.fixture.ts';
import { problem, type ServiceStub } from './service-stub.fixture.ts';

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

const docs = join(import.meta.dirname, '../../../docs');
const textOf = (file: string) => readFileSync(join(docs, file), 'utf8');
const proofs = JSON.parse(textOf('audit-proof-vectors.json')) as { verifierKeys: string[]; proof: object };
const exportVectors = JSON.parse(textOf('audit-export-vectors/vectors.json')) as { vectors: ExportVector[] };
const lines = textOf('audit-export-vectors/log.ndjson').trimEnd().split('\n');
const exported = (of: readonly string[]) => of.map((line) => `${line}\n`).join('');

const longName = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(2).trim();
const longEmail = `${'firstname.lastname.'.repeat(6)}x@acme.example`;

/** What gateway and auth show without a script: errors, sign-outs, the pages at `/` and of an organization. */
const message = (tone: 'calm' | 'good' | 'stop'): string =>
  htmlPage({
    organization: { name: longName },
    tone,
    language: 'en',
    title: `The sign-in of ${longName}`,
    body: [
      '<p>Start from the app or website that you want to sign in to.</p>',
      `<a class="control primary" href="/there">Continue to ${longName}</a>`,
      '<a class="control secondary" href="/there">Get help</a>',
      `<details><summary>Details</summary><p>${longEmail}</p></details>`,
    ].join('\n'),
  });

suite('accessibility of the pages', () => {
  const pages = new PagesInBrowser();

  /** Contrasts, sizes of controls, and the width of the page that is shown. */
  async function expectAccessible(width: number): Promise<void> {
    for (const summary of await pages.page.locator('summary').all()) await summary.click();
    const measured = await contrasts(pages.page);
    expect(measured.length).toBeGreaterThan(3);
    expect(measured.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
    expect(await pages.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const controls = 'button, a, input:not([type=checkbox], .suggestions), textarea';
    for (const control of await pages.page.locator(controls).all())
      expect((await control.boundingBox())!.height).toBeGreaterThanOrEqual(44);
  }

  async function expectVerdictsAccessible(width: number): Promise<void> {
    const [key] = proofs.verifierKeys;
    const undecided = lines.map((line) => line.slice(0, -1));
    const verdicts: [string, string, string][] = [
      [exported(lines), exportVectors.vectors[0]!.keys[0]!, 'Verified'],
      // So many findings that the list is cut.
      [exported(lines.toSpliced(100, 100)), exportVectors.vectors[0]!.keys[0]!, 'Does not verify'],
      [exported(undecided), key!, 'Cannot be decided'],
      [JSON.stringify(proofs.proof), key!, 'The entry is in the log'],
      [JSON.stringify({ ...proofs.proof, seq: 2 }), key!, 'The entry is not in the log'],
    ];
    pages.service.routes = {};
    await pages.page.goto(pages.base + verify);
    for (const [content, keys, text] of verdicts) {
      const file = { name: 'acme.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(content) };
      await pages.page.getByLabel('File').setInputFiles(file);
      await pages.page.getByLabel('Verifier key of the log').fill(keys);
      await pages.press('Verify');
      await pages.heading(text);
      await expectAccessible(width);
      await pages.press('Verify another file');
    }
  }

  test.each([account, link, invitationLink, signIn, verify])(
    '%s shows only a text about JavaScript when that is switched off',
    async (address) => {
      await pages.open({ javaScriptEnabled: false });
      await pages.page.goto(pages.base + address);
      expect((await pages.page.locator('body').innerText()).trim().split(/\n+/)).toEqual([
        'JavaScript is switched off',
        'This page needs JavaScript. Switch it on for this site, or open the link in another browser.',
      ]);
    },
  );

  test.each([
    ['light', 1280],
    ['dark', 360],
    // 200 % zoom of a narrow window.
    ['light', 180],
  ] as const)(
    'in %s mode, %i pixels wide, contrasts and target sizes suffice, and nothing scrolls sideways',
    async (colorScheme, width) => {
      await pages.open({ colorScheme, viewport: { width, height: 800 } });
      const organization = {
        body: { name: longName, startUrl: 'https://acme.example/', helpUrl: 'https://acme.example/help' },
      };
      const screens: [string, ServiceStub['routes'], string][] = [
        [link, { 'POST /claim': claim() }, 'Create your passkey'],
        [
          link,
          { 'POST /claim': claim({ state: 'claimed', returnUrl: 'https://shop.example/' }) },
          'This link has been used',
        ],
        [invitationLink, { 'POST /invitation': invitation() }, 'Accept your invitation'],
        [invitationLink, { 'POST /invitation': invitation({ recovery: true }) }, 'Create a new passkey'],
        [
          invitationLink,
          { 'POST /invitation': invitation({ state: 'accepted' }) },
          'This invitation has been accepted',
        ],
        [invitationLink, { 'POST /invitation': invitation({ state: 'expired' }) }, 'This invitation has expired'],
        [verify, {}, 'Verify an audit log'],
        [signIn, { 'GET /sign-in/u1': signInView, 'POST /sign-in/u1/options': challenge }, 'Sign in to Shop'],
        [
          signIn,
          { 'GET /sign-in/u1': problem(404, 'unknown_sign_in'), 'GET /organization': organization },
          'Please start again',
        ],
        [
          link,
          { 'POST /claim': problem(404, 'unknown_claim'), 'GET /organization': organization },
          'This link is not valid',
        ],
        [signIn, { 'GET /sign-in/u1': staffView, 'POST /sign-in/u1/options': challenge }, 'Sign in to Staff area'],
      ];
      for (const [address, routes, text] of screens) {
        pages.service.routes = routes;
        await pages.page.goto('about:blank');
        await pages.page.goto(pages.base + address);
        await pages.heading(text);
        await expectAccessible(width);
      }
      await expectVerdictsAccessible(width);
      const named = { organization: { ...organization.body } };
      await openAccount(pages, { 'POST /account': accountView(named) });
      await pages.page.getByRole('group', { name: 'Windows Hello' }).waitFor();
      await expectAccessible(width);
      const made = { address: `${pages.base}/o/acme/passkey#${'T'.repeat(43)}` };
      pages.service.routes['POST /account/link'] = { body: made };
      pages.service.routes['POST /account/link/state'] = { body: { state: 'created', code: '7F3K' } };
      pages.service.routes['POST /account/link/end'] = { body: {} };
      await pages.press('Add a passkey on another device');
      await pages.heading('Does your other device show this code?');
      await expectAccessible(width);
      await pages.press('No, stop');
      for (const action of ['Rename', 'Remove']) {
        await pages.page.getByRole('group', { name: 'Windows Hello' }).getByRole('button', { name: action }).click();
        await pages.page.getByRole('button', { name: 'Back' }).waitFor();
        await expectAccessible(width);
        await pages.press('Back');
      }
      await pages.page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
      pages.service.routes = { 'POST /claim': claim({ organization: organization.body }) };
      await pages.page.goto(pages.base + link);
      await pages.page.getByRole('img', { name: 'Scan this code' }).waitFor();
      await expectAccessible(width);
      for (const tone of ['calm', 'good', 'stop'] as const) {
        pages.service.message = message(tone);
        await pages.page.goto(`${pages.base}/message`);
        await pages.heading(`The sign-in of ${longName}`);
        await expectAccessible(width);
      }
    },
  );

  test('the keyboard reaches all controls in reading order, with a visible focus', async () => {
    pages.service.routes = { 'GET /sign-in/u1': signInView, 'POST /sign-in/u1/options': challenge };
    await pages.page.goto(pages.base + signIn);
    await pages.heading('Sign in to Shop');
    const order: string[] = [];
    for (let i = 0; i < 4; i++) {
      await pages.page.keyboard.press('Tab');
      order.push(
        await pages.page.evaluate(() => {
          const at = document.activeElement as HTMLElement;
          return `${at.textContent}: ${getComputedStyle(at).outlineWidth}`;
        }),
      );
    }
    expect(order).toEqual([
      'Sign in with a passkey: 3px',
      'Back to Shop: 3px',
      'No passkey on this device?: 3px',
      'What is a passkey?: 3px',
    ]);
  });

  test.each([
    [invitationLink, { 'POST /invitation': invitation() }, 'Accept your invitation', 'Create my passkey'],
  ] as const)('the new heading of %s has the focus, and the next Tab reaches its control', async (...screen) => {
    const [address, routes, heading, control] = screen;
    pages.service.routes = routes;
    await pages.page.goto(pages.base + address);
    await pages.heading(heading);
    expect(await pages.focused()).toBe('H1');
    await pages.page.keyboard.press('Tab');
    expect(await pages.page.evaluate(() => document.activeElement!.textContent)).toBe(control);
  });
});
