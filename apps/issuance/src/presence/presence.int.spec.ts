import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createOffer,
  getPresencePolicy,
  presenceChallenge,
  presenceOrigin,
  setPresencePolicy,
  type CustomerEvent,
  type OfferRequest,
  type Presence,
  type RequestContext,
  type SettingEvent,
} from '@holdfast/contracts';
import { eventually, testContext } from '@holdfast/testing';
import { IssuanceStack, stubs } from '../issuance-stack.fixture.js';
import { Siteverify } from './siteverify.fixture.js';
import { packed, solve } from './solve.fixture.js';

/** Client IDs in directory's form: others are not asked for. */
const [shop, other, ofGlobex, off, busy] = ['shop', 'other', 'globex', 'off', 'busy'].map(
  (name) => `app_${name.padEnd(22, '0')}`,
) as [string, string, string, string, string];

describe('proof of presence', () => {
  let stack: IssuanceStack;
  let turnstile: Siteverify;
  const redirectUris = ['https://shop.example/callback'];

  beforeAll(async () => {
    turnstile = await Siteverify.start();
    stack = await IssuanceStack.start({
      PRESENCE_COST: '1',
      PRESENCE_STEPS: '2',
      PRESENCE_SECONDS: '600',
      TURNSTILE_URL: `${turnstile.origin}/siteverify`,
      OUTBOUND_ALLOW: turnstile.origin,
    });
    stubs.apps.set(shop, { org: 'acme', redirectUris, origins: ['https://www.shop.example'] });
    stubs.apps.set(other, { org: 'acme', redirectUris: ['https://other.example/callback'] });
    stubs.apps.set(ofGlobex, { org: 'globex', redirectUris });
    stubs.apps.set(off, { org: 'acme', redirectUris, disabled: true });
    await stack.asOperator(setPresencePolicy, { policy: 'required' }, 'globex');
    await stack.asOperator(setPresencePolicy, { turnstileSecret: turnstile.secret });
  });
  afterAll(async () => {
    await stack?.stop();
    await turnstile?.stop();
  });

  const contextOf = (org = 'acme', app = org === 'acme' ? shop : ofGlobex) =>
    testContext({ org, actor: { type: 'app', id: app, name: 'Shop' } });
  const offer = (body: OfferRequest, context: RequestContext = contextOf(), idempotencyKey?: string) =>
    stack.gateway.request(
      createOffer,
      { offer: body, ...(idempotencyKey !== undefined && { idempotencyKey }) },
      context,
    );
  const challenge = (clientId: string, org = 'acme', origin?: string) =>
    stack.gateway.request(presenceChallenge, { clientId, ...(origin && { origin }) }, testContext({ org }));
  const altcha = async (clientId = shop, org = 'acme'): Promise<Presence> => ({
    type: 'altcha',
    payload: packed(await solve((await challenge(clientId, org)).challenge)),
  });
  const token = (word: string): Presence => ({ type: 'turnstile', token: `${word}.${randomUUID()}` });
  const offers = async () => Number((await stack.database.query('SELECT count(*) AS n FROM issuance.offer'))[0]!.n);
  const uses = async () =>
    Number((await stack.database.query('SELECT count(*) AS n FROM issuance.consumed_presence_proof'))[0]!.n);
  /** Refused with this code, and nothing is made or used up. */
  const refusal = async (attempt: () => Promise<unknown>, code: string) => {
    const before = [await offers(), await uses()];
    await expect(attempt()).rejects.toMatchObject({ code, status: code === 'presence_unavailable' ? 503 : 422 });
    expect([await offers(), await uses()]).toEqual(before);
  };

  it('is needed where the policy says so, and verified wherever it is sent', async () => {
    await refusal(() => offer({}, contextOf('globex')), 'presence_required');
    await expect(offer({}, contextOf('globex', ofGlobex))).rejects.toMatchObject({
      errors: [{ pointer: '#/presence' }],
    });
    await expect(offer({ presence: await altcha(ofGlobex, 'globex') }, contextOf('globex'))).resolves.toBeDefined();
    await expect(offer({})).resolves.toBeDefined();
    await refusal(() => offer({ presence: { type: 'altcha', payload: 'rubbish' } }), 'presence_invalid');
  });

  it('is not needed for a further offer to a known customer, which no sign-up form makes; one that is sent is verified', async () => {
    const {
      offer: { subject },
    } = await offer({ presence: await altcha(ofGlobex, 'globex') }, contextOf('globex'));
    await expect(offer({ subject }, contextOf('globex'))).resolves.toMatchObject({ offer: { subject } });
    await refusal(
      () => offer({ subject, presence: { type: 'altcha', payload: 'rubbish' } }, contextOf('globex')),
      'presence_invalid',
    );
  });

  it('of another organization or app is none', async () => {
    const proof = await altcha();
    await refusal(() => offer({ presence: proof }, contextOf('acme', other)), 'presence_invalid');
    await refusal(() => offer({ presence: proof }, contextOf('globex')), 'presence_invalid');
    await expect(offer({ presence: proof })).resolves.toBeDefined();
  });

  it('makes one offer of ten at once, and none later', async () => {
    const proof = await altcha();
    const before = await offers();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => offer({ presence: proof })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as { code: string }).code] : []));
    expect(codes).toEqual(Array.from({ length: 9 }, () => 'presence_replayed'));
    await refusal(() => offer({ presence: proof }), 'presence_replayed');
    expect(await offers()).toBe(before + 1);
  });

  it.each(['altcha', 'turnstile'] as const)(
    'of %s: an honest retry gets its answer, at once or later',
    async (provider) => {
      const proof = provider === 'altcha' ? await altcha() : token('good');
      const key = randomUUID();
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, () => offer({ presence: proof }, contextOf(), key)),
      );
      const made = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value.offer.offerId] : []));
      const codes = results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as { code: string }).code] : []));
      expect([new Set(made).size, codes.filter((code) => code !== 'idempotency_in_progress')]).toEqual([1, []]);
      await expect(offer({ presence: proof }, contextOf(), key)).resolves.toMatchObject({
        replayed: true,
        offer: { offerId: made[0] },
      });
      await refusal(() => offer({ presence: proof }, contextOf(), randomUUID()), 'presence_replayed');
    },
  );

  it('is not used up by an offer that was not made', async () => {
    for (const proof of [await altcha(), token('good')]) {
      await refusal(() => offer({ presence: proof, credentialType: 'unheard-of' }), 'unknown_credential_type');
      await refusal(() => offer({ presence: proof, offerExpiresIn: 1 }), 'invalid_request');
      // Refused within the transaction that had used it up already.
      const before = await uses();
      await expect(offer({ presence: proof, subject: randomUUID() })).rejects.toMatchObject({
        code: 'unknown_subject',
      });
      expect(await uses()).toBe(before);
      await expect(offer({ presence: proof })).resolves.toBeDefined();
      expect(await uses()).toBe(before + 1);
    }
  });

  it('is freed by a transaction that fails: who waits for it makes the offer', async () => {
    const proof = await altcha();
    const [customer] = [(await offer({})).offer.subject];
    await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) => offer({ presence: proof, subject: i === 5 ? customer : randomUUID() })),
    );
    await refusal(() => offer({ presence: proof }), 'presence_replayed');
    expect((await stack.database.query('SELECT 1 FROM issuance.offer WHERE subject = $1', [customer])).length).toBe(2);
  });

  it('comes after the Idempotency-Key, and before the rest', async () => {
    await offer({}, contextOf(), 'first-key');
    await expect(
      offer({ presence: { type: 'altcha', payload: 'rubbish' } }, contextOf(), 'first-key'),
    ).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await refusal(() => offer({ credentialType: 'unheard-of' }, contextOf('globex')), 'presence_required');
  });

  it('stands in the record by provider and outcome, never by what was sent', async () => {
    const proof = token('good');
    const context = contextOf();
    await offer({ presence: proof }, context);
    const found = () => stack.received.find((e): e is CustomerEvent => e.audit?.id === context.auditId);
    await eventually(() => found() !== undefined, 5000);
    expect(found()!.audit!.changes).toMatchObject({ presence: { to: { provider: 'turnstile', outcome: 'verified' } } });
    const sent = proof.type === 'turnstile' ? proof.token : '';
    const dump = JSON.stringify([
      stack.received,
      await stack.database.query('SELECT * FROM issuance.consumed_presence_proof'),
      await stack.database.query('SELECT payload FROM issuance.outbox'),
      stack.lines,
    ]);
    for (const secret of [sent, turnstile.secret]) expect(dump).not.toContain(secret);
  });

  describe('by Turnstile', () => {
    it.each([
      ['invalid-input-response', 'presence_invalid'],
      ['timeout-or-duplicate', 'presence_expired'],
      ['bad-request', 'presence_unavailable'],
      ['internal-error', 'presence_unavailable'],
      ['elsewhere', 'presence_invalid'],
      ['login', 'presence_invalid'],
      ['old', 'presence_expired'],
      ['down', 'presence_unavailable'],
      ['redirect', 'presence_unavailable'],
      ['broken', 'presence_unavailable'],
      ['html', 'presence_unavailable'],
      ['slow', 'presence_unavailable'],
    ])(
      '%s is %s',
      async (word, code) => {
        const proof = token(word);
        await refusal(() => offer({ presence: proof }), code);
      },
      15_000,
    );

    it('is asked no more for a token that made an offer', async () => {
      const proof = token('good');
      await offer({ presence: proof });
      const { asked } = turnstile;
      await refusal(() => offer({ presence: proof }), 'presence_replayed');
      expect(turnstile.asked).toBe(asked);
    });

    it('is not taken of an organization that has no secret here, and a wrong secret is not the visitor’s fault', async () => {
      await refusal(() => offer({ presence: token('good') }, contextOf('globex')), 'presence_invalid');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: 'a wrong one' }, 'globex');
      await refusal(() => offer({ presence: token('good') }, contextOf('globex')), 'presence_unavailable');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: null }, 'globex');
    });

    it('may be tried again with the same token once it answers', async () => {
      const proof = token('good');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: 'a wrong one' });
      await refusal(() => offer({ presence: proof }), 'presence_unavailable');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: turnstile.secret });
      await expect(offer({ presence: proof })).resolves.toBeDefined();
    });
  });

  describe('its challenge', () => {
    it('names the origins of the app and no others', async () => {
      for (const origin of ['https://shop.example', 'https://www.shop.example']) {
        expect(await challenge(shop, 'acme', origin)).toMatchObject({ allowedOrigin: origin });
        expect(await stack.gateway.request(presenceOrigin, { clientId: shop, origin }, testContext())).toEqual({
          allowedOrigin: origin,
        });
      }
      for (const origin of [
        'https://other.example',
        'http://shop.example',
        'https://shop.example:444',
        'https://sub.shop.example',
        'https://shop.example.evil.example',
        'null',
        'https://SHOP.example',
        '',
      ]) {
        expect(await challenge(shop, 'acme', origin)).not.toHaveProperty('allowedOrigin');
        expect(await stack.gateway.request(presenceOrigin, { clientId: shop, origin }, testContext())).toEqual({});
      }
    });

    it.each([
      [ofGlobex, 'acme'],
      [shop, 'globex'],
      [off, 'acme'],
      ['nobody', 'acme'],
      ['\0', 'acme'],
      ['', 'acme'],
      [shop, 'nobody'],
    ])('is not given to %j of %s', async (clientId, org) => {
      await expect(challenge(clientId, org)).rejects.toMatchObject({ code: 'unknown_app' });
      await expect(stack.gateway.request(presenceOrigin, { clientId }, testContext({ org }))).rejects.toMatchObject({
        code: 'unknown_app',
      });
    });

    it('asks directory no more than once a second for an app', async () => {
      stubs.apps.set(busy, { org: 'acme', redirectUris });
      await challenge(busy);
      const { asked } = stubs;
      await Promise.all(Array.from({ length: 20 }, () => challenge(busy)));
      expect(stubs.asked).toBeLessThanOrEqual(asked + 1);
    });
  });

  it('its policy is changed with event and record, and its secret never comes out', async () => {
    stubs.organizations.add('initech');
    expect(await stack.asOperator(getPresencePolicy, {}, 'initech')).toEqual({ policy: 'optional', turnstile: false });
    expect(stubs.read.at(-1)).toBe('presence.read of initech by operator');
    expect(
      await stack.asOperator(setPresencePolicy, { policy: 'required', turnstileSecret: 'first-secret' }, 'initech'),
    ).toEqual({ policy: 'required', turnstile: true });
    expect(await stack.asOperator(setPresencePolicy, { turnstileSecret: 'second-secret' }, 'initech')).toEqual({
      policy: 'required',
      turnstile: true,
    });
    expect(await stack.asOperator(setPresencePolicy, { turnstileSecret: null }, 'initech')).toEqual({
      policy: 'required',
      turnstile: false,
    });
    const events = () => stack.received.filter((e): e is SettingEvent => 'setting' in e && e.org === 'initech');
    await eventually(() => events().length === 3, 5000);
    expect(
      events().map(({ type, setting, version, audit }) => [type, setting, version, audit?.action, audit?.changes]),
    ).toEqual([
      [
        'presence_policy.updated',
        'presence_policy',
        1,
        'presence.configure',
        { policy: { from: 'optional', to: 'required' }, turnstile: { from: false, to: true } },
      ],
      ['presence_policy.updated', 'presence_policy', 2, 'presence.configure', { turnstileSecret: { to: 'replaced' } }],
      ['presence_policy.updated', 'presence_policy', 3, 'presence.configure', { turnstile: { from: true, to: false } }],
    ]);
    const stored = JSON.stringify([
      await stack.database.query(
        "SELECT org, policy, version, encode(turnstile_secret, 'escape') AS s FROM issuance.presence_policy",
      ),
      stack.received,
      stack.lines,
    ]);
    for (const secret of ['first-secret', 'second-secret', turnstile.secret]) expect(stored).not.toContain(secret);
    await expect(stack.asOperator(getPresencePolicy, {}, 'nobody')).rejects.toMatchObject({
      code: 'unknown_organization',
    });
    await expect(stack.asOperator(setPresencePolicy, { policy: 'required' }, 'nobody')).rejects.toMatchObject({
      code: 'unknown_organization',
    });
  });
});
