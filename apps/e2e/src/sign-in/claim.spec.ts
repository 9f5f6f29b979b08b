// Claiming by the documented JSON routes: once, whoever is first; after the end of an offer not at all.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator, type CeremonyOptions } from '@holdfast/testing';
import { callApi, type Client } from '../client.ts';
import { eventually, sleep, times } from '../parallel.ts';
import { closeConnections, exchange } from '../http.ts';
import { customerScopes, newClients, stack } from '../under-test.ts';
import {
  completeSignIn,
  beginClaim,
  beginSignIn,
  claim,
  completeClaim,
  readClaim,
  newCustomer,
  origin,
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

describe('once', () => {
  it('is looked at without an effect, then claimed, then spent', async () => {
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

  it('the very answer that won is worth nothing the second time', async () => {
    const { token } = await offer();
    const { body, cookie } = await beginClaim(org, token);
    const response = new SoftwareAuthenticator().register(body.options, { origin });
    const both = await Promise.all(times(8).map(() => completeClaim(org, token, response, cookie)));
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    // One answer, so one challenge: whoever comes after it was taken and before it won hears that it is gone.
    for (const { status, body: lost } of both)
      if (status !== 200) expect(['410 claim_spent', '409 ceremony_expired']).toContain(`${status} ${lost.code}`);
  });

  it('an answer counts in the browser alone that asked for it, and in another one does not use it up', async () => {
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
    ['each with options of its own, all answered at once', true],
    ['whole ceremonies at once', false],
  ])('fifty authenticators: one wins (%s)', async (_, optionsFirst) => {
    const { subject, token } = await offer();
    const authenticators = times(50).map(() => new SoftwareAuthenticator());
    const began = optionsFirst ? await Promise.all(authenticators.map(() => beginClaim(org, token))) : undefined;
    const answers = await Promise.all(
      authenticators.map((one, i) =>
        began
          ? completeClaim(org, token, one.register(began[i]!.body.options, { origin }), began[i]!.cookie)
          : claim(org, token, one),
      ),
    );
    const won = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    expect(won).toHaveLength(1);
    const lost = answers.filter(({ status }) => status !== 200).map(({ status, body }) => `${status} ${body.code}`);
    expect(lost).toEqual(times(49).map(() => '410 claim_spent'));

    // The winner's passkey signs in, and of the others' none does.
    expect((await shop.get(subject)).body).toMatchObject({ claimed: true, credentials: [{ status: 'issued' }] });
    const { claims } = await site.signIn(authenticators[won[0]!]!);
    expect(claims.sub).toBe(subject);
    const loser = authenticators.find((one, i) => i !== won[0] && one.passkeys.length > 0)!;
    const agent = new UserAgent(stack.baseUrl);
    const { json } = await completeSignIn(agent, await beginSignIn(agent, (await site.begin()).url), loser);
    expect(json).toEqual({ refused: 'unknown_passkey' });
  });
});

describe('after the end of the offer', () => {
  const ends: [string, (made: Offer) => Promise<unknown>, object, number, string][] = [
    ['it ran out', () => sleep(2300), { offerExpiresIn: 2 }, 410, 'claim_expired'],
    ['it was withdrawn', ({ offerId }) => shop.withdraw(offerId), {}, 410, 'claim_withdrawn'],
    ['a later offer took its place', ({ subject }) => shop.offer({ subject }), {}, 410, 'claim_withdrawn'],
    ['the customer was erased', ({ subject }) => shop.erase(subject), {}, 404, 'unknown_claim'],
  ];

  it.each(ends)('refused when %s, also with the ceremony half done', async (_, end, wanted, status, code) => {
    const made = await offer(wanted);
    const { body, cookie } = await beginClaim(org, made.token);
    const response = new SoftwareAuthenticator().register(body.options, { origin });
    await end(made);
    const refused = { status, body: { code } };
    expect(await completeClaim(org, made.token, response, cookie)).toMatchObject(refused);
    expect(await beginClaim(org, made.token)).toMatchObject(refused);
    const seen = await readClaim<{ state?: string; code?: string }>(org, made.token);
    expect(seen.body).toMatchObject(status === 404 ? { code } : { state: code.slice('claim_'.length) });
    const { status: there, body: subject } = await shop.get(made.subject);
    expect(there === 404 || subject.claimed === false).toBe(true);
  });
});

describe('what is no claim', () => {
  it('another organization, no organization, a token that is none: all the same', async () => {
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

  it('a page of another site', async () => {
    const { token } = await offer();
    for (const foreign of ['https://evil.example', 'null', `${origin}.evil.example`]) {
      expect(
        await callApi(stack, 'POST', `/o/${org}/api/claim/options`, { json: { token }, headers: { origin: foreign } }),
      ).toMatchObject({ status: 403, body: { code: 'cross_site_request' } });
    }
  });

  it('a passkey that proves too little, and the link stays good', async () => {
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

describe('a further offer to a holder', () => {
  it('moves the credential to a new passkey and ends the old one, its session and its tokens', async () => {
    const { subject, authenticator } = await newCustomer(shop);
    const before = await site.signIn(authenticator);
    // An issuer counts sign-ins by the second.
    await sleep(1000);
    const { token } = await offer({ subject });
    expect((await readClaim(org, token)).body).toMatchObject({ state: 'open', recovery: true });
    const fresh = new SoftwareAuthenticator();
    expect((await claim(org, token, fresh)).status).toBe(200);

    const agent = new UserAgent(stack.baseUrl);
    expect((await completeSignIn(agent, await beginSignIn(agent, (await site.begin()).url), authenticator)).json).toEqual(
      { refused: 'unknown_passkey' },
    );
    const { claims } = await site.signIn(fresh);
    const [was, is] = [before.claims.credential, claims.credential] as Record<string, string>[];
    expect(claims.sub).toBe(subject);
    expect(is).toMatchObject({ id: was!.id, issued_at: was!.issued_at });
    expect(is!.document_number).not.toBe(was!.document_number);
    await eventually(
      async () => (await site.userinfo(before.accessToken)).status === 401,
      3000,
      'the end of the old tokens',
    );
    expect(await site.refresh(before.refreshToken)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(await site.silently(before.agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  });
});
