import type { Browser } from 'playwright-core';
import { customerScopes, type Offer } from '@holdfast/contracts';
import { Visitor } from '../browser/chromium.fixture.ts';

type Passkeys = Awaited<ReturnType<Visitor['passkeys']>>;
type Operator = <Result>(...args: string[]) => Result;

/** What the pictures show. */
export interface Prepared {
  baseUrl: string;
  org: string;
  /** Of the owner, for the hub. */
  ownerPasskeys: Passkeys;
  /** Of the first customer. */
  customerPasskeys: Passkeys;
  /** An app of customers, and where its sign-in leads back to. */
  shop: { clientId: string; redirectUri: string };
  /** A customer with a passkey, and one who has not claimed yet. */
  customers: [claimed: string, waiting: string];
  /** A claim link that is still open. */
  claimUrl: string;
  group: string;
  webhook: string;
  staffApp: string;
}

/** Makes an organization with something on every screen, by the command line, the API and two browsers. */
export async function prepare(browser: Browser, baseUrl: string, operator: Operator): Promise<Prepared> {
  const org = `shots-${Date.now().toString(36)}`;
  operator('org', 'create', org, '--name', 'Nordlicht Energie');
  const invited = operator<{ invitationUrl: string }>(
    ...['person', 'invite', org, '--email', 'mara@nordlicht.example', '--name', 'Mara Lindqvist', '--role', 'owner'],
  );
  const owner = await Visitor.open(browser);
  await owner.page.goto(invited.invitationUrl);
  await owner.page.getByRole('button').first().click();
  await owner.page.getByText('You are on the team').waitFor();
  await owner.page.goto(`${baseUrl}/hub/${org}`);
  await owner.followLink('Sign in');
  await owner.heading('Overview');

  /** A request of the page, with the session of the owner. */
  const call = <Result>(method: string, path: string, body?: object): Promise<Result> =>
    owner.page.evaluate<Result>(`fetch(${JSON.stringify(`/o/${org}/api${path}`)}, {
      method: '${method}', headers: { 'content-type': 'application/json' },
      ${body ? `body: ${JSON.stringify(JSON.stringify(body))},` : ''}
    }).then(async (response) => {
      const text = await response.text();
      if (!response.ok) throw new Error('${method} ${path}: ' + text);
      return text === '' ? {} : JSON.parse(text);
    })`);
  const redirectUri = 'https://portal.nordlicht.example/callback';
  const addresses = { redirectUris: [redirectUri], postLogoutRedirectUris: ['https://portal.nordlicht.example/'] };
  const shop = await call<{ clientId: string }>('POST', '/admin/apps', {
    ...{ name: 'portal', displayName: 'Kundenportal', kind: 'web', ...addresses },
  });
  await call('POST', `/admin/apps/${shop.clientId}/grants`, { operations: Object.keys(customerScopes) });
  const staff = await call<{ clientId: string }>('POST', '/admin/apps', {
    ...{ name: 'back-office', displayName: 'Back office', kind: 'web', audience: 'people', ...addresses },
  });
  const offer = () => call<Offer>('POST', '/credentials/offers', { app: shop.clientId });
  const [first, waiting, open] = [await offer(), await offer(), await offer()];
  const customer = await Visitor.open(browser, { synced: true });
  await customer.page.goto(first.claimUrl);
  await customer.page.getByRole('button').first().click();
  while ((await customer.passkeys()).length === 0) await customer.page.waitForTimeout(100);
  const me = await call<{ id: string }>('GET', '/admin/users/me');
  const group = await call<{ id: string }>('POST', '/admin/groups', {
    ...{ name: 'Service desk', description: 'Answers the telephone' },
  });
  await call('POST', `/admin/groups/${group.id}/members`, { users: [me.id] });
  await call('POST', `/admin/apps/${staff.clientId}/assignments`, { group: group.id });
  const webhook = await call<{ id: string }>('POST', '/admin/webhooks/endpoints', {
    ...{ url: 'https://hooks.nordlicht.example/holdfast', description: 'Billing' },
  });
  const splunk = { kind: 'splunk_hec', settings: { url: 'https://siem.nordlicht.example' }, description: 'SIEM' };
  await call('POST', '/admin/audit/destinations', { ...splunk, credentials: { token: 'not-a-real-one' } });
  await call('POST', '/admin/audit/exports', { format: 'ndjson', proof: true });
  const receiver = await call<{ clientId: string }>('POST', '/admin/ssf/receivers', { name: 'Identity provider' });
  await call('POST', '/admin/ssf/streams', { receiver: receiver.clientId, method: 'poll' });
  const access = { app: staff.clientId, reason: 'Look into a complaint', durationSeconds: 28_800 };
  await call('POST', '/admin/access-requests', access);
  const prepared: Prepared = {
    ...{ baseUrl, org, group: group.id, webhook: webhook.id, staffApp: staff.clientId, claimUrl: open.claimUrl },
    ownerPasskeys: await owner.passkeys(),
    customerPasskeys: await customer.passkeys(),
    shop: { clientId: shop.clientId, redirectUri },
    customers: [first.subject, waiting.subject],
  };
  await owner.close();
  await customer.close();
  return prepared;
}
