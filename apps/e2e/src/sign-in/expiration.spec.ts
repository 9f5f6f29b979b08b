// Product §5, "Fields, where one would guess", with the clock running past the ends of offers and credentials.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer, PublicEvent } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../client.ts';
import { eventually, sleep } from '../parallel.ts';
import { closeConnections } from '../http.ts';
import { customerScopes, stack } from '../under-test.ts';
import { claim, readClaim, newCustomer, signIn, tokenOf, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let shop: RelyingParty;
let app: Client;
let auditor: Client;
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
    'PT59M58S',
    '--default',
  );
  await stack.operator('type', 'create', org, 'brief', '--validity', 'PT3S');
  const auditing = await stack.newApp(org, 'automation', ['audit:read', 'webhooks:manage'], 'service');
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  app = new Client(stack, { ...shop.app, scopes: customerScopes }, customerScopes);
  auditor = new Client(stack, auditing, ['audit:read', 'webhooks:manage']);
});
afterAll(closeConnections);

const summaryOf = async (subject: string) => (await app.all()).find((s) => s.subject === subject)!;
const feedOf = async (subject: string) => (await auditor.feed()).filter(({ data }) => data.subject === subject);
/** A moment after a time has come, by the clock that the services have too. */
const past = (time: string) => sleep(Date.parse(time) - Date.now() + 20);

async function eventsOf(subject: string, last: PublicEvent['type']): Promise<PublicEvent[]> {
  return eventually(
    async () => {
      const events = await feedOf(subject);
      return events.at(-1)?.type === last && events;
    },
    15_000,
    `${last} of ${subject}`,
  );
}

describe('an offer that ran out', () => {
  it('is over at its second: not claimable, not counted, its credential still offered; told once', async () => {
    const { body } = await app.offer<Offer>({ offerExpiresIn: 3 });
    expect(await summaryOf(body.subject)).toMatchObject({ credentials: 1, openOffers: 1, live: 0, claimed: false });
    await past(body.expiresAt);
    const [look, summary, one] = await Promise.all([
      readClaim<{ state: string }>(app.app.org, tokenOf(body.claimUrl)),
      summaryOf(body.subject),
      app.issued(body.credentialId),
    ]);
    expect([look.body.state, summary.openOffers, summary.credentials, one.body.status]).toEqual([
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
    // It can be offered again: to the same customer, for the same credential.
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

describe('a credential that ended', () => {
  it('is over at its second, for every reader and at sign-in; told once; begins anew when it is offered again', async () => {
    // Of two types: the app signs in with the default one, which ends with the offer's latest end.
    const validUntil = new Date(Date.now() + 7000).toISOString();
    const ada = await newCustomer(app, new SoftwareAuthenticator(), { validUntil, offerExpiresIn: 5 });
    const { body: held } = await app.issued(ada.credentialId);
    expect(held).toMatchObject({ status: 'issued', expiresAt: validUntil });
    expect(await summaryOf(ada.subject)).toMatchObject({ live: 1, lastIssuedAt: held.holderClaimedAt });
    const { tokens, agent } = await shop.signIn(ada.authenticator);
    await past(validUntil);
    const { url } = await shop.begin();
    const [summary, one, userinfo, refreshed, silent] = await Promise.all([
      summaryOf(ada.subject),
      app.issued(ada.credentialId),
      shop.userinfo(tokens.access_token),
      shop.refresh(tokens.refresh_token!),
      shop.silently(agent, { prompt: 'none' }),
    ]);
    expect([summary.live, summary.credentials, one.body.status, userinfo.status, refreshed.json.error]).toEqual([
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
    const { body: anew } = await app.issued(ada.credentialId);
    expect(anew.issuedAt).toBe(held.issuedAt);
    expect(Date.parse(anew.expiresAt!)).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await summaryOf(ada.subject)).toMatchObject({ live: 1, lastIssuedAt: anew.holderClaimedAt });
    expect(anew.holderClaimedAt).not.toBe(held.holderClaimedAt);
    await shop.signIn(ada.authenticator);
  });

  it('ends by its type too, and can still be suspended and revoked', async () => {
    const ada = await newCustomer(app, new SoftwareAuthenticator(), { credentialType: 'brief' });
    const { body: held } = await app.issued(ada.credentialId);
    expect(Date.parse(held.expiresAt!) - Date.parse(held.issuedAt!)).toBe(3000);
    await past(held.expiresAt!);
    expect(await summaryOf(ada.subject)).toMatchObject({ live: 0 });
    for (const [act, status] of [
      ['suspend', 'suspended'],
      ['resume', 'issued'],
      ['revoke', 'revoked'],
    ] as const) {
      expect((await app.manage(act, ada.credentialId)).body.status).toBe(status);
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
  const into = async (ada: Customer) =>
    past(
      new Date(Date.parse((await app.issued(ada.credentialId)).body.expiresAt!) - (59 * 60 + 58) * 1000).toISOString(),
    );

  it('comes with a fresh sign-in inside the window alone, and is all that changes', async () => {
    const ada = await newCustomer(app);
    const first = await shop.signIn(ada.authenticator);
    const before = await summaryOf(ada.subject);
    await into(ada);
    // Neither a refresh token nor the session of before is the customer at the device.
    expect((await shop.refresh(first.refreshToken)).status).toBe(200);
    expect(await shop.silently(first.agent, { prompt: 'none' })).toHaveProperty('code');
    expect((await app.issued(ada.credentialId)).body.expiresAt).toBe(claimsOf(first).expires_at);

    const second = await shop.signIn(ada.authenticator);
    const [was, is] = [claimsOf(first), claimsOf(second)];
    expect([is.id, is.issued_at]).toEqual([was.id, was.issued_at]);
    expect(is.document_number).not.toBe(was.document_number);
    expect(Date.parse(is.expires_at)).toBeGreaterThan(Date.parse(was.expires_at));
    expect((await app.issued(ada.credentialId)).body).toMatchObject({
      status: 'issued',
      issuedAt: was.issued_at,
      expiresAt: is.expires_at,
    });
    // `lastIssuedAt` moves on a claim, not on a renewal.
    expect(await summaryOf(ada.subject)).toEqual(before);
    const events = await eventsOf(ada.subject, 'credential.renewed');
    expect(events.map((e) => e.type)).toEqual(['offer.created', 'credential.issued', 'credential.renewed']);
    expect(events[2]!.data).toEqual({
      subject: ada.subject,
      credentialId: ada.credentialId,
      credentialType: 'renewable',
      expiresAt: is.expires_at,
    });
    const records = await auditor.wholeLog({ target: ada.subject });
    expect(records.filter((r) => r.action === 'credential.renew')).toMatchObject([
      { actor: { type: 'system', id: 'issuance' } },
    ]);
    const signIns = await auditor.wholeLog({ actor: ada.subject, action: 'customer.sign_in' });
    expect(signIns.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify([events, records, signIns])).not.toContain(is.document_number);
  });
});

describe('what fields count', () => {
  it('credentials: every one, of any type and state, unclaimed ones too; createdAt: the first offer', async () => {
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

  it('holderApp: the name of the passkey’s provider, when it is known', async () => {
    const [known, unknown] = await Promise.all(
      ['d548826e-79b4-db40-a3d8-11116f7e8349', undefined].map((aaguid) =>
        newCustomer(app, new SoftwareAuthenticator(aaguid ? { aaguid } : {})),
      ),
    );
    expect((await app.issued(known!.credentialId)).body.holderApp).toBe('Bitwarden');
    expect((await app.issued(unknown!.credentialId)).body).not.toHaveProperty('holderApp');
  });
});
