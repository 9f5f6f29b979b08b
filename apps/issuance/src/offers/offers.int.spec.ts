import { describe, expect, it } from '@jest/globals';
import {
  createCredentialType,
  createOffer,
  withdrawOffer,
  type OfferRequest,
  type RequestContext,
} from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { eventually, testContext } from '@holdfast/testing';
import { codesOf, customers, errorWith, stack, withIssuance } from '../customers.fixture.js';
import { stubs } from '../issuance-stack.fixture.js';

describe('an offer', () => {
  withIssuance();

  const offer = (body: OfferRequest = {}, context: RequestContext = testContext(), idempotencyKey?: string) =>
    stack.gateway.request(createOffer, { offer: body, ...(idempotencyKey && { idempotencyKey }) }, context);
  const withdraw = (offerId: string) => stack.gateway.request(withdrawOffer, { offerId }, testContext());
  const byApp = (id: string) => testContext({ actor: { type: 'app', id } });
  const count = async (table: string) =>
    Number((await stack.database.query(`SELECT count(*) AS n FROM issuance.${table}`))[0]!.n);

  it('commits customer, credential, offer, event and record together, and waits for the read model', async () => {
    const context = testContext();
    const { offer: made, replayed } = await offer({}, context);
    expect(replayed).toBe(false);
    expect(made).toMatchObject({
      credentialType: 'customer',
      claimUrl: expect.stringMatching(/^http:\/\/localhost:8080\/o\/acme\/claim#[A-Za-z0-9_-]{43}$/),
    });
    expect(customers.eventsOf(made.subject)).toEqual([
      expect.objectContaining({
        type: 'offer.created',
        version: 1,
        audit: expect.objectContaining({ id: context.auditId, action: 'offer.create', actor: context.actor }),
      }),
    ]);
  });

  it('stores its claim token in no table and no event', async () => {
    const { offer: made } = await offer({}, testContext(), 'a-key');
    const token = made.claimUrl.split('#')[1]!;
    const dump = JSON.stringify([
      await stack.database.query('SELECT * FROM issuance.offer'),
      await stack.database.query('SELECT * FROM issuance.idempotency'),
      stack.received,
      await stack.database.query('SELECT payload FROM issuance.outbox'),
    ]);
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('is replayed to a repeat with the same key, and a different body with it is a mismatch', async () => {
    const first = await offer({}, byApp('app-keys'), 'k1');
    await expect(offer({}, byApp('app-keys'), 'k1')).resolves.toEqual({ ...first, replayed: true });
    await expect(offer({ offerExpiresIn: 700 }, byApp('app-keys'), 'k1')).rejects.toEqual(
      errorWith('idempotency_mismatch'),
    );
    const ofAnotherApp = await offer({}, byApp('app-other'), 'k1');
    expect(ofAnotherApp.offer.subject).not.toBe(first.offer.subject);
  });

  it('is created once by fifty concurrent requests with one key', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => offer({}, byApp('app-race'), 'one')));
    const made = results.flatMap((r) => (r.status === 'fulfilled' ? r.value : []));
    expect(made.filter((m) => !m.replayed)).toHaveLength(1);
    expect(new Set(made.map((m) => m.offer.subject)).size).toBe(1);
    expect(codesOf(results).filter((code) => code !== 'idempotency_in_progress')).toEqual([]);
    expect(await stack.database.query(`SELECT 1 FROM issuance.subject WHERE app = 'app-race'`)).toHaveLength(1);
  });

  it('has the type with which customers sign in to the calling app, unless it names another', async () => {
    const member = { name: 'member', display: 'Member', isDefault: false };
    await stack.asOperator(createCredentialType, member);
    const [club, shop] = [`app_${'c'.repeat(22)}`, `app_${'s'.repeat(22)}`];
    stubs.apps.set(club, { credentialType: 'member' });
    stubs.apps.set(shop, {});
    const typeOf = async (body: OfferRequest, app: string) => (await offer(body, byApp(app))).offer.credentialType;
    expect(await typeOf({}, club)).toBe('member');
    expect(await typeOf({ credentialType: 'customer' }, club)).toBe('customer');
    expect(await typeOf({}, shop)).toBe('customer');
    const { offer: first } = await offer({}, byApp(club));
    const { offer: recovery } = await offer({ subject: first.subject }, byApp(club));
    expect(recovery).toMatchObject({ credentialType: 'member', credentialId: first.credentialId });
    const queries = stubs.appQueries;
    await offer({ credentialType: 'member' }, byApp(club));
    expect(stubs.appQueries).toBe(queries);
  });

  it('to an existing customer supersedes the open one, and is denied to other apps and organizations', async () => {
    const { offer: first } = await offer();
    const { subject } = first;
    const { offer: second } = await offer({ subject });
    expect(second).toMatchObject({ subject, credentialId: first.credentialId });
    expect(second.offerId).not.toBe(first.offerId);
    await expect(withdraw(first.offerId)).rejects.toEqual(errorWith('invalid_state'));
    for (const other of [byApp('kiosk'), testContext({ org: 'globex' })])
      await expect(offer({ subject }, other)).rejects.toEqual(errorWith('unknown_subject'));
  });

  it('stays the only open one of twenty concurrent further offers', async () => {
    const { subject } = await customers.offer();
    await Promise.all(Array.from({ length: 20 }, () => offer({ subject })));
    const offers = await stack.database.query('SELECT status FROM issuance.offer WHERE subject = $1', [subject]);
    expect(offers.filter(({ status }) => status === 'open')).toHaveLength(1);
    expect(offers).toHaveLength(21);
    const versions = Array.from({ length: 41 }, (_, i) => i + 1);
    await eventually(() => expect(customers.eventsOf(subject).map(({ version }) => version)).toEqual(versions));
  });

  it('is withdrawn once by ten concurrent requests', async () => {
    const { offerId } = await customers.offer();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => withdraw(offerId)));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
  });

  it('stores nothing when it is denied', async () => {
    // Confirmed events are deleted later, so the outbox is compared when it is empty.
    await eventually(async () => expect(await count('outbox')).toBe(0));
    const before = await count('subject');
    await expect(offer({ credentialType: 'unknown' })).rejects.toMatchObject({
      code: 'unknown_credential_type',
      status: 422,
    });
    await expect(offer({ offerExpiresIn: 5 })).rejects.toMatchObject({ code: 'invalid_request', status: 422 });
    await expect(offer({ subject: '00000000-0000-4000-8000-000000000009' })).rejects.toEqual(
      errorWith('unknown_subject'),
    );
    expect([await count('subject'), await count('outbox')]).toEqual([before, 0]);
  });

  it('raises the watermark before it replies, when the read model has not applied its event', async () => {
    await stack.stopConsumer('subjects');
    const { subject } = await customers.offer();
    const aggregate = customerKey('acme', subject);
    expect(
      await stack.database.query('SELECT version FROM watermarks.subjects WHERE org = $1 AND aggregate = $2', [
        'acme',
        aggregate,
      ]),
    ).toEqual([{ version: 1 }]);
    await stack.startConsumer('subjects');
  });

  it('answers unavailable and stores nothing while the database is unavailable', async () => {
    const before = await count('subject');
    await stack.database.refuseConnections(true);
    await expect(offer()).rejects.toEqual(errorWith('unavailable'));
    await stack.database.refuseConnections(false);
    expect(await count('subject')).toBe(before);
    await eventually(() => offer().then(() => true));
  });
});
