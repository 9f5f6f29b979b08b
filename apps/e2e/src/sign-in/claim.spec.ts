// Claiming by the documented JSON routes: the first claim wins, and no claim succeeds after the end of the offer.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator, type CeremonyOptions } from '@holdfast/testing';
import { callApi, type Client } from '../clients/client.ts';
import { closeConnections, exchange } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { times } from '../stack/parallel.ts';
import { untilPast } from '../stack/until-past.ts';
import {
  beginClaim,
  beginSignIn,
  claim,
  completeClaim,
  completeSignIn,
  newCustomer,
  origin,
  readClaim,
  tokenOf,
} from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let shop: Client;
let stranger: Client;
let site: RelyingParty;
let org: string;
beforeAll(async () => {
  const [here, there] = await Promise.all([
    newClients({ shop: { grants: customerScopes, redirectUris: ['https://shop.example/callback'] } }),
    newClients({ stranger: {} }),
  ]);
  shop = here.shop;
  stranger = there.stranger;
  org = shop.app.org;
  site = await RelyingParty.of(shop.app);
});
afterAll(closeConnections);

async function offer(json: object = {}): Promise<Offer & { token: string }> {
  const { status, body, text } = await shop.offer<Offer>(json);
  if (status !== 201) throw new Error(`no offer: ${status} ${text}`);
  return { ...body, token: tokenOf(body.claimUrl) };
}

describe('an offer', () => {
  it('is not changed by reading it, and is spent after it was claimed', async () => {
    const { subject, token, credentialId } = await offer();
    for (const _ of times(3))
      expect(await readClaim(org, token)).toMatchObject({ status: 200, body: { state: 'open', recovery: false } });
    expect(
      (await exchange({ origin: stack.gateways[0]!, path: `/o/${org}/claim`, headers: { accept: 'text/html' } }))
        .status,
    ).toBe(200);
    expect((await shop.get(subject)).body).toMatchObject({ claimed: false, credentials: [{ status: 'offered' }] });

    expect((await claim(org, token, new SoftwareAuthenticator())).status).toBe(200);
    const { body } = await shop.get(subject);
    expect(body).toMatchObject({
      claimed: true,
      credentials: [{ id: credentialId, status: 'issued', holderId: subject }],
    });
    expect(body.credentials[0]).toEqual(
      expect.objectContaining({ issuedAt: expect.any(String), holderClaimedAt: expect.any(String) }),
    );

    expect(await readClaim(org, token)).toMatchObject({ status: 200, body: { state: 'claimed' } });
    expect(await beginClaim(org, token)).toMatchObject({ status: 410, body: { code: 'claim_spent' } });
    expect(await claim(org, token, new SoftwareAuthenticator())).toMatchObject({
      status: 410,
      body: { code: 'claim_spent' },
    });
    expect((await shop.get(subject)).body).toEqual(body);
  });

  it('is claimed once by eight concurrent requests with the same passkey response', async () => {
    const { token } = await offer();
    const { body, cookie } = await beginClaim(org, token);
    const response = new SoftwareAuthenticator().register(body.options, { origin });
    const replies = await Promise.all(times(8).map(() => completeClaim(org, token, response, cookie)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    // The challenge is consumed before the claim succeeds, so that either code is possible.
    const lost = replies.filter(({ status }) => status !== 200);
    for (const reply of lost)
      expect(['410 claim_spent', '409 ceremony_expired']).toContain(`${reply.status} ${reply.body.code}`);
  });

  it('is claimed only by the browser that began the claim, and others do not consume the challenge', async () => {
    const { token } = await offer();
    const [mine, theirs] = [await beginClaim(org, token), await beginClaim(org, token)];
    expect(mine.headers['set-cookie']).toMatch(
      new RegExp(`^(__Host-)?holdfast-${org}-claim=[\\w-]{43}; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict`),
    );
    expect(theirs.cookie).not.toBe(mine.cookie);
    const response = new SoftwareAuthenticator().register(mine.body.options, { origin });
    for (const cookie of [
      '',
      theirs.cookie,
      `${mine.cookie}; ${theirs.cookie}`,
      `${mine.cookie}x`,
      mine.cookie.replace(/=.*/, '='),
    ]) {
      expect(await completeClaim(org, token, response, cookie)).toMatchObject({
        status: 409,
        body: { code: 'ceremony_expired' },
      });
    }
    expect(await completeClaim(org, token, response, mine.cookie)).toMatchObject({ status: 200 });
  });

  it.each([
    ['completing concurrently', true],
    ['beginning and completing concurrently', false],
  ])('is claimed by one of fifty authenticators that are %s', async (_, optionsFirst) => {
    const { subject, token } = await offer();
    const authenticators = times(50).map(() => new SoftwareAuthenticator());
    const began = optionsFirst ? await Promise.all(authenticators.map(() => beginClaim(org, token))) : undefined;
    const replies = await Promise.all(
      authenticators.map((one, i) =>
        began
          ? completeClaim(org, token, one.register(began[i]!.body.options, { origin }), began[i]!.cookie)
          : claim(org, token, one),
      ),
    );
    const won = replies.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    expect(won).toHaveLength(1);
    const lost = replies.filter(({ status }) => status !== 200).map(({ status, body }) => `${status} ${body.code}`);
    expect(lost).toEqual(times(49).map(() => '410 claim_spent'));

    // Only the winner's passkey signs in.
    expect((await shop.get(subject)).body).toMatchObject({ claimed: true, credentials: [{ status: 'issued' }] });
    const { claims } = await site.signIn(authenticators[won[0]!]!);
    expect(claims.sub).toBe(subject);
    const loser = authenticators.find((one, i) => i !== won[0] && one.passkeys.length > 0)!;
    const agent = new UserAgent(stack.baseUrl);
    const { json } = await completeSignIn(agent, await beginSignIn(agent, (await site.begin()).url), loser);
    expect(json).toEqual({ refused: 'unknown_passkey', removed: true });
  });
});

describe('an offer that has ended', () => {
  const ends: [string, (offered: Offer) => Promise<unknown>, object, number, string][] = [
    ['its expiration', ({ expiresAt }) => untilPast(expiresAt), { offerExpiresIn: 8 }, 410, 'claim_expired'],
    ['its withdrawal', ({ offerId }) => shop.withdraw(offerId), {}, 410, 'claim_withdrawn'],
    ['a further offer', ({ subject }) => shop.offer({ subject }), {}, 410, 'claim_withdrawn'],
    ["the customer's erasure", ({ subject }) => shop.erase(subject), {}, 404, 'unknown_claim'],
  ];

  it.each(ends)(
    'cannot be claimed after %s, even when the claim had begun before',
    async (_, end, json, status, code) => {
      const offered = await offer(json);
      const { body, cookie } = await beginClaim(org, offered.token);
      const response = new SoftwareAuthenticator().register(body.options, { origin });
      await end(offered);
      const rejected = { status, body: { code } };
      expect(await completeClaim(org, offered.token, response, cookie)).toMatchObject(rejected);
      expect(await beginClaim(org, offered.token)).toMatchObject(rejected);
      const read = await readClaim<{ state?: string; code?: string }>(org, offered.token);
      expect(read.body).toMatchObject(status === 404 ? { code } : { state: code.slice('claim_'.length) });
      const subject = await shop.get(offered.subject);
      expect([subject.status, subject.body.claimed]).toEqual(status === 404 ? [404, undefined] : [200, false]);
    },
  );
});

describe('a claim', () => {
  it('is the same 404 for another organization, an unknown one and an invalid token', async () => {
    const { token } = await offer();
    for (const [where, what] of [
      [stranger.app.org, token],
      ['no-such-org', token],
      [org, 'x'.repeat(43)],
      [org, token.slice(1)],
      [org, ''],
      ['%00', token],
    ] as const) {
      expect(await beginClaim(where, what)).toMatchObject({ status: 404, body: { code: 'unknown_claim' } });
      expect(await readClaim(where, what)).toMatchObject({ status: 404, body: { code: 'unknown_claim' } });
    }
    expect((await claim(org, token, new SoftwareAuthenticator())).status).toBe(200);
  });

  it('is 403 from a page of another site', async () => {
    const { token } = await offer();
    for (const foreign of ['https://evil.example', 'null', `${origin}.evil.example`]) {
      expect(
        await callApi(stack, 'POST', `/o/${org}/api/claim/options`, { json: { token }, headers: { origin: foreign } }),
      ).toMatchObject({ status: 403, body: { code: 'cross_site_request' } });
    }
  });

  it('is rejected with an unacceptable passkey, and the link stays valid', async () => {
    const { token, subject } = await offer();
    const wrong: [Partial<CeremonyOptions>, string][] = [
      [{ userVerified: false }, 'passkey_invalid'],
      [{ userPresent: false }, 'passkey_invalid'],
      [{ origin: 'https://evil.example' }, 'passkey_invalid'],
      [{ rpId: 'evil.example' }, 'passkey_invalid'],
      [{ type: 'webauthn.get' }, 'passkey_invalid'],
      [{ challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 'ceremony_expired'],
    ];
    for (const [ceremony, code] of wrong) {
      const { status, body } = await claim(org, token, new SoftwareAuthenticator(), ceremony);
      expect([ceremony, status, body.code]).toEqual([ceremony, code === 'passkey_invalid' ? 422 : 409, code]);
    }
    const other = await offer();
    const { body, cookie } = await beginClaim(org, other.token);
    const borrowed = new SoftwareAuthenticator().register(body.options, { origin });
    expect(await completeClaim(org, token, borrowed, cookie)).toMatchObject({
      status: 409,
      body: { code: 'ceremony_expired' },
    });
    const taken = await newCustomer(shop);
    const credentialId = Buffer.from(taken.authenticator.passkeys[0]!.id, 'base64url');
    expect(await claim(org, token, new SoftwareAuthenticator(), { credentialId })).toMatchObject({
      status: 422,
      body: { code: 'passkey_invalid' },
    });
    expect((await shop.get(subject)).body.claimed).toBe(false);
    expect((await claim(org, token, new SoftwareAuthenticator({ synced: true, algorithm: 'RS256' }))).status).toBe(200);
  });
});

describe('a recovery', () => {
  it('moves the credential to a new passkey and ends the old one, its session and its tokens', async () => {
    const { subject, authenticator } = await newCustomer(shop);
    const before = await site.signIn(authenticator);
    const { token } = await offer({ subject });
    expect((await readClaim(org, token)).body).toMatchObject({ state: 'open', recovery: true });
    const replacement = new SoftwareAuthenticator();
    expect((await claim(org, token, replacement)).status).toBe(200);

    const agent = new UserAgent(stack.baseUrl);
    expect(
      (await completeSignIn(agent, await beginSignIn(agent, (await site.begin()).url), authenticator)).json,
    ).toEqual({ refused: 'unknown_passkey', removed: true });
    const { claims } = await site.signIn(replacement);
    const [was, is] = [before.claims.credential, claims.credential] as Record<string, string>[];
    expect(claims.sub).toBe(subject);
    expect(is).toMatchObject({ id: was!.id, issued_at: was!.issued_at });
    expect(is!.document_number).not.toBe(was!.document_number);
    await eventually(async () => (await site.userinfo(before.accessToken)).status === 401, 'the end of the old tokens');
    expect(await site.refresh(before.refreshToken)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(await site.silently(before.agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  });
});
