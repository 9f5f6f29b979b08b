// Product §5, "Fields, where one would guess": offers and credentials that expire while the test runs. What a test does
// before takes a fraction of these times, so that a slow machine has done it too.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Credential, Offer, PublicEvent } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { untilPast } from '../stack/until-past.ts';
import { claim, newCustomer, readClaim, signIn, tokenOf, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let shop: RelyingParty;
let app: Client;
let auditor: Client;
/** Begun first and tested last: its credential takes longest to expire. */
let expiring: Customer & {
  validUntil: string;
  first: Credential;
  signedIn: Awaited<ReturnType<RelyingParty['signIn']>>;
};
beforeAll(async () => {
  const org = await stack.newOrganization();
  await stack.operator(
    'type',
    'create',
    org,
    'renewable',
    '--validity',
    'PT1H',
    '--renewal-window',
    'PT59M48S',
    '--default',
  );
  await stack.operator('type', 'create', org, 'brief', '--validity', 'PT3S');
  const auditing = await stack.newApp(org, 'automation', ['audit:read', 'webhooks:manage'], 'service');
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  app = new Client(stack, { ...shop.app, scopes: customerScopes }, customerScopes);
  auditor = new Client(stack, auditing, ['audit:read', 'webhooks:manage']);
  // The app signs in with the default type. `validUntil` of the offer limits its credential.
  const validUntil = new Date(Date.now() + 20_000).toISOString();
  const ada = await newCustomer(app, new SoftwareAuthenticator(), { validUntil, offerExpiresIn: 15 });
  const { body: first } = await app.issued(ada.credentialId);
  expect(first).toMatchObject({ status: 'issued', expiresAt: validUntil });
  expect(await summaryOf(ada.subject)).toMatchObject({ live: 1, lastIssuedAt: first.holderClaimedAt });
  expiring = { ...ada, validUntil, first, signedIn: await shop.signIn(ada.authenticator) };
});
afterAll(closeConnections);

const summaryOf = async (subject: string) => (await app.all()).find((s) => s.subject === subject)!;
const feedOf = async (subject: string) => (await auditor.feed()).filter(({ data }) => data.subject === subject);

async function eventsOf(subject: string, last: PublicEvent['type']): Promise<PublicEvent[]> {
  return eventually(async () => {
    const events = await feedOf(subject);
    return events.at(-1)?.type === last && events;
  }, `${last} of ${subject}`);
}

describe('an expired offer', () => {
  it('is at once neither claimable nor counted, and offer.expired is emitted once', async () => {
    const { body } = await app.offer<Offer>({ offerExpiresIn: 8 });
    expect(await summaryOf(body.subject)).toMatchObject({ credentials: 1, openOffers: 1, live: 0, claimed: false });
    await untilPast(body.expiresAt);
    const [claimState, summary, credential] = await Promise.all([
      readClaim<{ state: string }>(app.app.org, tokenOf(body.claimUrl)),
      summaryOf(body.subject),
      app.issued(body.credentialId),
    ]);
    expect([claimState.body.state, summary.openOffers, summary.credentials, credential.body.status]).toEqual([
      'expired',
      0,
      1,
      'offered',
    ]);
    expect(await claim(app.app.org, tokenOf(body.claimUrl), new SoftwareAuthenticator())).toMatchObject({
      status: 410,
      body: { code: 'claim_expired' },
    });
    const events = await eventsOf(body.subject, 'offer.expired');
    expect(events.map((e) => [e.type, e.version, e.data])).toEqual([
      ['offer.created', 1, expect.objectContaining({ offerId: body.offerId, expiresAt: body.expiresAt })],
      [
        'offer.expired',
        2,
        { subject: body.subject, credentialId: body.credentialId, credentialType: 'renewable', offerId: body.offerId },
      ],
    ]);
    const records = await auditor.wholeLog({ action: 'offer.expire', target: body.offerId });
    expect(records).toMatchObject([{ actor: { type: 'system', id: 'issuance' }, outcome: { result: 'success' } }]);
    // The same credential can be offered to the customer again.
    const { body: again } = await app.offer<Offer>({ subject: body.subject });
    expect(again.credentialId).toBe(body.credentialId);
    expect(await summaryOf(body.subject)).toMatchObject({ credentials: 1, openOffers: 1 });
    expect((await eventsOf(body.subject, 'offer.created')).map((e) => e.type)).toEqual([
      'offer.created',
      'offer.expired',
      'offer.created',
    ]);
  });
});

describe('an expired credential', () => {
  it('can still be suspended and revoked, also when its type limits the validity', async () => {
    const ada = await newCustomer(app, new SoftwareAuthenticator(), { credentialType: 'brief' });
    const { body: credential } = await app.issued(ada.credentialId);
    expect(Date.parse(credential.expiresAt!) - Date.parse(credential.issuedAt!)).toBe(3000);
    await untilPast(credential.expiresAt!);
    expect(await summaryOf(ada.subject)).toMatchObject({ live: 0 });
    for (const [transition, status] of [
      ['suspend', 'suspended'],
      ['resume', 'issued'],
      ['revoke', 'revoked'],
    ] as const) {
      expect((await app.manage(transition, ada.credentialId)).body.status).toBe(status);
      expect(await summaryOf(ada.subject)).toMatchObject({ live: 0 });
    }
    expect(
      (await eventsOf(ada.subject, 'credential.revoked')).filter((e) => e.type === 'credential.expired'),
    ).toHaveLength(1);
  });
});

describe('a renewal', () => {
  const claimsOf = ({ claims }: { claims: Record<string, unknown> }) =>
    claims.credential as Record<'id' | 'document_number' | 'issued_at' | 'expires_at', string>;
  const untilRenewalWindow = async (ada: Customer) =>
    untilPast(
      new Date(Date.parse((await app.issued(ada.credentialId)).body.expiresAt!) - (59 * 60 + 48) * 1000).toISOString(),
    );

  it('happens only at a fresh sign-in in the window, and changes expiration and document number', async () => {
    const ada = await newCustomer(app);
    const first = await shop.signIn(ada.authenticator);
    const summary = await summaryOf(ada.subject);
    await untilRenewalWindow(ada);
    // A refresh token and an existing session do not prove that the customer uses the passkey.
    expect((await shop.refresh(first.refreshToken)).status).toBe(200);
    expect(await shop.silently(first.agent, { prompt: 'none' })).toHaveProperty('code');
    expect((await app.issued(ada.credentialId)).body.expiresAt).toBe(claimsOf(first).expires_at);

    const second = await shop.signIn(ada.authenticator);
    const [before, after] = [claimsOf(first), claimsOf(second)];
    expect([after.id, after.issued_at]).toEqual([before.id, before.issued_at]);
    expect(after.document_number).not.toBe(before.document_number);
    expect(Date.parse(after.expires_at)).toBeGreaterThan(Date.parse(before.expires_at));
    expect((await app.issued(ada.credentialId)).body).toMatchObject({
      status: 'issued',
      issuedAt: before.issued_at,
      expiresAt: after.expires_at,
    });
    // `lastIssuedAt` changes at a claim, not at a renewal.
    expect(await summaryOf(ada.subject)).toEqual(summary);
    const events = await eventsOf(ada.subject, 'credential.renewed');
    expect(events.map((e) => e.type)).toEqual(['offer.created', 'credential.issued', 'credential.renewed']);
    expect(events[2]!.data).toEqual({
      subject: ada.subject,
      credentialId: ada.credentialId,
      credentialType: 'renewable',
      expiresAt: after.expires_at,
    });
    const records = await auditor.wholeLog({ target: ada.subject });
    expect(records.filter((r) => r.action === 'credential.renew')).toMatchObject([
      { actor: { type: 'system', id: 'issuance' } },
    ]);
    const signIns = await auditor.wholeLog({ actor: ada.subject, action: 'customer.sign_in' });
    expect(signIns.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify([events, records, signIns])).not.toContain(after.document_number);
  });
});

describe('a field of a customer', () => {
  it('counts credentials of any type and state, and keeps createdAt of the first offer', async () => {
    const ada = await newCustomer(app);
    const { createdAt } = await summaryOf(ada.subject);
    await app.offer({ subject: ada.subject, credentialType: 'brief' });
    await app.manage('revoke', ada.credentialId);
    await app.offer({ subject: ada.subject });
    expect(await summaryOf(ada.subject)).toMatchObject({
      credentials: 3,
      live: 0,
      openOffers: 2,
      claimed: true,
      createdAt,
    });
    expect((await app.get(ada.subject)).body.credentials.map((c) => c.status).sort()).toEqual([
      'offered',
      'offered',
      'revoked',
    ]);
  });

  it('names the provider of the passkey in holderApp when it is known', async () => {
    const [withProvider, withoutProvider] = await Promise.all(
      ['d548826e-79b4-db40-a3d8-11116f7e8349', undefined].map((aaguid) =>
        newCustomer(app, new SoftwareAuthenticator(aaguid ? { aaguid } : {})),
      ),
    );
    expect((await app.issued(withProvider!.credentialId)).body.holderApp).toBe('Bitwarden');
    expect((await app.issued(withoutProvider!.credentialId)).body).not.toHaveProperty('holderApp');
  });
});

describe('a credential that has expired after a sign-in', () => {
  it('is at once not live, emits credential.expired once, and can be issued again', async () => {
    const { validUntil, first, signedIn, ...ada } = expiring;
    const { tokens, agent } = signedIn;
    await untilPast(validUntil);
    const { url } = await shop.begin();
    const [summary, credential, userinfo, refreshed, silent] = await Promise.all([
      summaryOf(ada.subject),
      app.issued(ada.credentialId),
      shop.userinfo(tokens.access_token),
      shop.refresh(tokens.refresh_token!),
      shop.silently(agent, { prompt: 'none' }),
    ]);
    expect([summary.live, summary.credentials, credential.body.status, userinfo.status, refreshed.json.error]).toEqual([
      0,
      1,
      'issued',
      401,
      'invalid_grant',
    ]);
    expect(silent).not.toHaveProperty('code');
    expect(
      new URL((await signIn(new UserAgent(stack.baseUrl), url, ada.authenticator)).location).searchParams.get('error'),
    ).toBe('access_denied');
    const events = await eventsOf(ada.subject, 'credential.expired');
    expect(events.map((e) => e.type)).toEqual(['offer.created', 'credential.issued', 'credential.expired']);
    expect(events[2]!.data).toEqual({
      subject: ada.subject,
      credentialId: ada.credentialId,
      credentialType: 'renewable',
      expiresAt: validUntil,
    });
    expect(await auditor.wholeLog({ action: 'credential.expire', target: ada.credentialId })).toMatchObject([
      { actor: { type: 'system' } },
    ]);

    const { body: again } = await app.offer<Offer>({ subject: ada.subject });
    expect((await claim(ada.org, tokenOf(again.claimUrl), ada.authenticator)).status).toBe(200);
    const { body: second } = await app.issued(ada.credentialId);
    expect(second.issuedAt).toBe(first.issuedAt);
    expect(Date.parse(second.expiresAt!)).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await summaryOf(ada.subject)).toMatchObject({ live: 1, lastIssuedAt: second.holderClaimedAt });
    expect(second.holderClaimedAt).not.toBe(first.holderClaimedAt);
    await shop.signIn(ada.authenticator);
  });
});
