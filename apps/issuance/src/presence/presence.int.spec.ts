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
import { codesOf, errorWith } from '../customers.fixture.js';
import { IssuanceStack, stubs } from '../issuance-stack.fixture.js';
import { Siteverify } from './siteverify.fixture.js';
import { packed, solve } from './solve.fixture.js';

/** Client IDs of the form that directory gives them: issuance queries no others. */
const [shop, other, ofGlobex, disabled, busy] = ['shop', 'other', 'globex', 'disabled', 'busy'].map(
  (name) => `app_${name.padEnd(22, '0')}`,
) as [string, string, string, string, string];

describe('a proof of presence', () => {
  let stack: IssuanceStack;
  let turnstile: Siteverify;
  const redirectUris = ['https://shop.example/callback'];

  beforeAll(async () => {
    turnstile = await Siteverify.start();
    stack = await IssuanceStack.start({
      settings: {
        PRESENCE_COST: '1',
        PRESENCE_STEPS: '2',
        PRESENCE_SECONDS: '600',
        TURNSTILE_URL: `${turnstile.origin}/siteverify`,
        OUTBOUND_ALLOW: turnstile.origin,
      },
    });
    stubs.apps.set(shop, { org: 'acme', redirectUris, origins: ['https://www.shop.example'] });
    stubs.apps.set(other, { org: 'acme', redirectUris: ['https://other.example/callback'] });
    stubs.apps.set(ofGlobex, { org: 'globex', redirectUris });
    stubs.apps.set(disabled, { org: 'acme', redirectUris, disabled: true });
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
  const countOf = async (table: string) =>
    Number((await stack.database.query(`SELECT count(*) AS n FROM issuance.${table}`))[0]!.n);
  const offers = () => countOf('offer');
  const consumedProofs = () => countOf('consumed_presence_proof');
  /** The attempt is rejected with this code, creates no offer and consumes no proof. */
  const expectRejected = async (attempt: () => Promise<unknown>, code: string) => {
    const before = [await offers(), await consumedProofs()];
    await expect(attempt()).rejects.toMatchObject({ code, status: code === 'presence_unavailable' ? 503 : 422 });
    expect([await offers(), await consumedProofs()]).toEqual(before);
  };

  it('is required where the policy requires it, and verified wherever it is sent', async () => {
    await expectRejected(() => offer({}, contextOf('globex')), 'presence_required');
    await expect(offer({}, contextOf('globex', ofGlobex))).rejects.toMatchObject({
      errors: [{ pointer: '#/presence' }],
    });
    await expect(offer({ presence: await altcha(ofGlobex, 'globex') }, contextOf('globex'))).resolves.toBeDefined();
    await expect(offer({})).resolves.toBeDefined();
    await expectRejected(() => offer({ presence: { type: 'altcha', payload: 'rubbish' } }), 'presence_invalid');
  });

  it('is not required for an offer to an existing customer, and verified there when it is sent', async () => {
    const {
      offer: { subject },
    } = await offer({ presence: await altcha(ofGlobex, 'globex') }, contextOf('globex'));
    await expect(offer({ subject }, contextOf('globex'))).resolves.toMatchObject({ offer: { subject } });
    await expectRejected(
      () => offer({ subject, presence: { type: 'altcha', payload: 'rubbish' } }, contextOf('globex')),
      'presence_invalid',
    );
  });

  it('of another organization or app is invalid', async () => {
    const proof = await altcha();
    await expectRejected(() => offer({ presence: proof }, contextOf('acme', other)), 'presence_invalid');
    await expectRejected(() => offer({ presence: proof }, contextOf('globex')), 'presence_invalid');
    await expect(offer({ presence: proof })).resolves.toBeDefined();
  });

  it('allows one of ten concurrent offers, and no later one', async () => {
    const proof = await altcha();
    const before = await offers();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => offer({ presence: proof })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(codesOf(results)).toEqual(Array.from({ length: 9 }, () => 'presence_replayed'));
    await expectRejected(() => offer({ presence: proof }), 'presence_replayed');
    expect(await offers()).toBe(before + 1);
  });

  it.each(['altcha', 'turnstile'] as const)(
    'of %s: a retry with the same key gets the stored response, concurrently or later',
    async (provider) => {
      const proof = provider === 'altcha' ? await altcha() : token('good');
      const key = randomUUID();
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, () => offer({ presence: proof }, contextOf(), key)),
      );
      const made = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value.offer.offerId] : []));
      const otherCodes = codesOf(results).filter((code) => code !== 'idempotency_in_progress');
      expect([new Set(made).size, otherCodes]).toEqual([1, []]);
      await expect(offer({ presence: proof }, contextOf(), key)).resolves.toMatchObject({
        replayed: true,
        offer: { offerId: made[0] },
      });
      await expectRejected(() => offer({ presence: proof }, contextOf(), randomUUID()), 'presence_replayed');
    },
  );

  it('is not consumed by an offer that is denied', async () => {
    for (const proof of [await altcha(), token('good')]) {
      await expectRejected(() => offer({ presence: proof, credentialType: 'unknown' }), 'unknown_credential_type');
      await expectRejected(() => offer({ presence: proof, offerExpiresIn: 1 }), 'invalid_request');
      // This one is denied inside the transaction, which has consumed the proof by then.
      const before = await consumedProofs();
      await expect(offer({ presence: proof, subject: randomUUID() })).rejects.toEqual(errorWith('unknown_subject'));
      expect(await consumedProofs()).toBe(before);
      await expect(offer({ presence: proof })).resolves.toBeDefined();
      expect(await consumedProofs()).toBe(before + 1);
    }
  });

  it('allows the one valid offer among concurrent offers whose transactions fail', async () => {
    const proof = await altcha();
    const customer = (await offer({})).offer.subject;
    await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) => offer({ presence: proof, subject: i === 5 ? customer : randomUUID() })),
    );
    await expectRejected(() => offer({ presence: proof }), 'presence_replayed');
    expect((await stack.database.query('SELECT 1 FROM issuance.offer WHERE subject = $1', [customer])).length).toBe(2);
  });

  it('is verified after the Idempotency-Key and before the other terms', async () => {
    await offer({}, contextOf(), 'first-key');
    await expect(
      offer({ presence: { type: 'altcha', payload: 'rubbish' } }, contextOf(), 'first-key'),
    ).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await expectRejected(() => offer({ credentialType: 'unknown' }, contextOf('globex')), 'presence_required');
  });

  it('is recorded with provider and outcome; token and secret are nowhere', async () => {
    const proof = token('good');
    const context = contextOf();
    await offer({ presence: proof }, context);
    const found = () => stack.received.find((e): e is CustomerEvent => e.audit?.id === context.auditId);
    await eventually(() => found() !== undefined);
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

  describe('of Turnstile', () => {
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
    ])('with siteverify response %s is rejected with %s', async (word, code) => {
      const proof = token(word);
      await expectRejected(() => offer({ presence: proof }), code);
    });

    it('is not sent to Turnstile again once it has allowed an offer', async () => {
      const proof = token('good');
      await offer({ presence: proof });
      const { requests } = turnstile;
      await expectRejected(() => offer({ presence: proof }), 'presence_replayed');
      expect(turnstile.requests).toBe(requests);
    });

    it('is invalid for an organization without secret, and presence_unavailable with a wrong secret', async () => {
      await expectRejected(() => offer({ presence: token('good') }, contextOf('globex')), 'presence_invalid');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: 'a wrong one' }, 'globex');
      await expectRejected(() => offer({ presence: token('good') }, contextOf('globex')), 'presence_unavailable');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: null }, 'globex');
    });

    it('is accepted with the same token once Turnstile is available', async () => {
      const proof = token('good');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: 'a wrong one' });
      await expectRejected(() => offer({ presence: proof }), 'presence_unavailable');
      await stack.asOperator(setPresencePolicy, { turnstileSecret: turnstile.secret });
      await expect(offer({ presence: proof })).resolves.toBeDefined();
    });
  });

  describe('the challenge', () => {
    it('allows the origins of the app and no others', async () => {
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
      [disabled, 'acme'],
      ['nobody', 'acme'],
      ['\0', 'acme'],
      ['', 'acme'],
      [shop, 'nobody'],
    ])('is denied to the app %j of %s', async (clientId, org) => {
      await expect(challenge(clientId, org)).rejects.toEqual(errorWith('unknown_app'));
      await expect(stack.gateway.request(presenceOrigin, { clientId }, testContext({ org }))).rejects.toEqual(
        errorWith('unknown_app'),
      );
    });

    it('queries directory for an app once a second at most', async () => {
      stubs.apps.set(busy, { org: 'acme', redirectUris });
      await challenge(busy);
      const { appQueries } = stubs;
      const startedAtMs = performance.now();
      await Promise.all(Array.from({ length: 20 }, () => challenge(busy)));
      const seconds = (performance.now() - startedAtMs) / 1000;
      expect(stubs.appQueries).toBeLessThanOrEqual(appQueries + 1 + Math.floor(seconds));
    });
  });

  it('has a policy whose changes have event and record, and whose secret is never readable', async () => {
    stubs.organizations.add('initech');
    expect(await stack.asOperator(getPresencePolicy, {}, 'initech')).toEqual({ policy: 'optional', turnstile: false });
    expect(stubs.recordedReads.at(-1)).toBe('presence.read of initech by operator');
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
    await eventually(() => events().length === 3);
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
    await expect(stack.asOperator(getPresencePolicy, {}, 'nobody')).rejects.toEqual(errorWith('unknown_organization'));
    await expect(stack.asOperator(setPresencePolicy, { policy: 'required' }, 'nobody')).rejects.toEqual(
      errorWith('unknown_organization'),
    );
  });
});
