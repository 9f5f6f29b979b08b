import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { invitePerson, type Role } from '@holdfast/contracts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { busClient, operatorActor } from '../stack/nats.ts';
import { desktop, launch, Visitor } from './chromium.fixture.ts';
import { acceptInvitation } from './staff.fixture.ts';

/** An organization whose hub the tests of a file open, and who has opened it. */
export interface HubTest {
  org: string;
  browser: Browser;
  /** Closed after each test, which fails when a page had an error. */
  visitors: Visitor[];
  /** The address of a screen. */
  hub: (path?: string) => string;
  /** A person with these roles, who has accepted the invitation in a browser of their own and is signed in. */
  open: (name: string, roles: readonly Role[], viewport?: typeof desktop) => Promise<Visitor>;
}

/** Starts a browser and makes an organization before the tests of a file. */
export function hubTest(): HubTest {
  const test = { visitors: [] as Visitor[] } as HubTest;
  test.hub = (path = '') => `${stack.baseUrl}/hub/${test.org}${path}`;
  test.open = async (name, roles, viewport = desktop) => {
    const operator = await busClient(stack, 'operator', test.org, operatorActor);
    const email = `${name.toLowerCase().replaceAll(' ', '.')}.${Date.now()}@${test.org}.example`;
    const { invitationUrl } = await operator.request(invitePerson, { email, name, roles: [...roles] });
    await operator.close();
    const visitor = await Visitor.open(test.browser, { viewport });
    test.visitors.push(visitor);
    await acceptInvitation(visitor, invitationUrl);
    await visitor.page.goto(test.hub());
    await visitor.heading('Sign in to the hub');
    await visitor.followLink('Sign in');
    await visitor.heading('Overview');
    return visitor;
  };
  beforeAll(async () => {
    test.browser = await launch();
    test.org = await stack.newOrganization();
  });
  afterEach(async () => {
    const errors = test.visitors.flatMap((visitor) => visitor.errors);
    for (const visitor of test.visitors) await visitor.close();
    test.visitors = [];
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await test.browser?.close();
    closeConnections();
  });
  return test;
}

export const fits = ({ page }: Visitor) => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What of a page violates WCAG 2.2 AA or best practice, by axe. The debugger runs it, so no policy applies. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Colours are measured once they are final. Some animations have no end.
  await page.evaluate(`Promise.race([
    Promise.allSettled(document.getAnimations().map((animation) => animation.finished)),
    new Promise((resolve) => setTimeout(resolve, 500)),
  ]).then(() => undefined)`);
  return page.evaluate<string[]>(`${axe};axe.run({ runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`);
}
