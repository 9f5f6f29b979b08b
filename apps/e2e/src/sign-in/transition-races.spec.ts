// Everything that can happen to a credential, at once and over HTTP: one consistent end, nothing lost, no fault of
// ours.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Credential, Offer, PublicEvent } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../client.ts';
import { eventually, times } from '../parallel.ts';
import { closeConnections } from '../http.ts';
import { customerScopes, stack } from '../under-test.ts';
import {
  completeSignIn,
  beginClaim,
  beginSignIn,
  completeClaim,
  newCustomer,
  origin,
  tokenOf,
} from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

/** More by RACE_ROUNDS=100, for a longer look. */
const rounds = Number(process.env.RACE_ROUNDS ?? 10);

let shop: RelyingParty;
let app: Client;
let reader: Client;
beforeAll(async () => {
  const org = await stack.newOrganization();
  // The window is open for all but a moment: every first sign-in renews.
  await stack.operator(
    'type',
    'create',
    org,
    'hour',
    '--validity',
    'PT1H',
    '--renewal-window',
    'PT59M59S',
    '--default',
  );
  const automation = await stack.newApp(org, 'automation', ['webhooks:manage'], 'service');
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  app = new Client(stack, { ...shop.app, scopes: customerScopes }, customerScopes);
  reader = new Client(stack, automation, ['webhooks:manage']);
});
afterAll(closeConnections);

interface Answer {
  act: string;
  status: number;
}

it(
  `fifty acts on one credential, ${rounds} times`,
  async () => {
    for (const round of times(rounds)) {
      const ada = await newCustomer(app, new SoftwareAuthenticator({ synced: true }));
      const { body: recovery } = await app.offer<Offer>({ subject: ada.subject });
      const token = tokenOf(recovery.claimUrl);
      const [claims, signIns] = await Promise.all([
        Promise.all(
          times(8).map(async () => {
            const { body, cookie } = await beginClaim(ada.org, token);
            return { response: new SoftwareAuthenticator().register(body.options, { origin }), cookie };
          }),
        ),
        Promise.all(
          times(10).map(async () => {
            const agent = new UserAgent(stack.baseUrl);
            return { agent, page: await beginSignIn(agent, (await shop.begin()).url) };
          }),
        ),
      ]);
      const manage = (act: 'suspend' | 'resume' | 'revoke') => async () =>
        (await app.manage(act, ada.credentialId)).status;
      const acts: [string, () => Promise<number>][] = [
        ...claims.map(({ response, cookie }): [string, () => Promise<number>] => [
          'claim',
          async () => (await completeClaim(ada.org, token, response, cookie)).status,
        ]),
        ...signIns.map(({ agent, page }): [string, () => Promise<number>] => [
          'sign-in',
          async () => (await completeSignIn(agent, page, ada.authenticator)).status,
        ]),
        ...times(12).map((): [string, () => Promise<number>] => ['suspend', manage('suspend')]),
        ...times(12).map((): [string, () => Promise<number>] => ['resume', manage('resume')]),
        ...times(4).map((): [string, () => Promise<number>] => [
          round % 3 === 1 ? 'revoke' : 'suspend',
          manage(round % 3 === 1 ? 'revoke' : 'suspend'),
        ]),
        ...times(4).map((): [string, () => Promise<number>] =>
          round % 3 === 2 ? ['erase', async () => (await app.erase(ada.subject)).status] : ['resume', manage('resume')],
        ),
      ];
      acts.sort(() => Math.random() - 0.5);
      const answers = await Promise.all(
        acts.map(async ([act, run]): Promise<Answer> => ({ act, status: await run() })),
      );
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const won = (act: string) => answers.filter((a) => a.act === act && a.status < 300).length;
      const erased = won('erase');

      const { status, body } = await app.issued<Credential>(ada.credentialId);
      expect(status).toBe(erased ? 404 : 200);
      const counts = (events: PublicEvent[]) =>
        ['suspended', 'resumed', 'revoked', 'rekeyed'].map(
          (name) => events.filter((e) => e.type === `credential.${name}`).length,
        );
      const events = await eventually(
        async () => {
          const events = (await reader.feed()).filter(({ data }) => data.subject === ada.subject);
          // Of an erased customer the feed keeps the receipt alone.
          if (erased) return events.some((e) => e.type === 'subject.erased') && events;
          expect(counts(events)).toEqual([won('suspend'), won('resume'), won('revoke'), won('claim')]);
          return events;
        },
        15_000,
        'the story of the feed',
      );
      expect([erased, won('revoke'), won('claim')].every((n) => n <= 1)).toBe(true);
      if (erased) {
        expect(events.map((e) => e.type)).toEqual(['subject.erased']);
        expect((await app.get(ada.subject)).status).toBe(404);
        continue;
      }
      expect(events.map((e) => e.version)).toEqual(events.map((_, i) => i + 1));
      expect(body.status).toBe(won('revoke') ? 'revoked' : won('suspend') > won('resume') ? 'suspended' : 'issued');
      expect(won('suspend') - won('resume')).toBeGreaterThanOrEqual(0);
      expect((await app.get(ada.subject)).body.credentials).toEqual([body]);
    }
  },
  60_000 + rounds * 20_000,
);
