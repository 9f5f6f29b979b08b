import { randomInt, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import {
  adminListOffers,
  adminWithdrawOffer,
  eventSubject,
  operationsOf,
  type CustomerEvent,
  type DirectoryEvent,
  type OpenOffer,
} from '@holdfast/contracts';
import { eventually, randomSequence, shuffle, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { clock, customers, errorWith, stack, withIssuance } from '../../customers.fixture.js';
import { stubs } from '../../issuance-stack.fixture.js';

/** Orders the concurrent requests. Printed, so that a failure can be repeated with RACE_SEED. */
const seed = Number(process.env.RACE_SEED ?? randomInt(2 ** 31));
const asApp = (id: string) => testContext({ actor: { type: 'app', id } });
const asPerson = testContext({ actor: { type: 'person', id: randomUUID() } });
const all = ['offers:write', 'issued:read', 'issued:manage'];

let versions = 1;
async function publish(members: Pick<DirectoryEvent, 'type'> & Partial<DirectoryEvent>): Promise<void> {
  const event: DirectoryEvent = {
    id: randomUUID(),
    occurredAt: clock.now().toISOString(),
    org: 'acme',
    version: (versions += 1),
    requestId: 'test',
    traceparent: '',
    ...members,
  };
  await jetstream(stack.directory.connection).publish(eventSubject('directory', event.type), JSON.stringify(event));
}

/** Directory says that an app has lost rights: what it may still do, in the reply and in the event. */
async function lose(app: string, operations: string[]): Promise<void> {
  stubs.rights.set(app, operations);
  await publish({ type: 'app.updated', app, operations, data: { app } });
}

const withdrawn = (subject: string): CustomerEvent[] =>
  customers.eventsOf(subject).filter(({ type }) => type === 'offer.withdrawn');
const isWithdrawn = (subject: string) => eventually(() => withdrawn(subject).length > 0);
const open = async (app?: string): Promise<OpenOffer[]> => {
  const items: OpenOffer[] = [];
  for (let after: { app: string; offerId: string } | undefined; ;) {
    const page = { limit: 2, ...(app !== undefined && { app }), ...(after && { after }) };
    const reply = await stack.gateway.request(adminListOffers, page, asPerson);
    items.push(...reply.items);
    if (!(after = reply.next)) return items;
  }
};

describe('an offer whose app loses the right to make it', () => {
  withIssuance();
  let app: string;
  beforeEach(() => {
    app = `app_${randomUUID()}`;
    stubs.rights.clear();
  });

  it.each([
    ['offers:write is removed', ['issued:read', 'issued:manage']],
    ['the app is disabled', []],
  ])('cannot be read as open, begun or completed from then on when %s', async (_, left) => {
    const offer = await customers.offer({}, asApp(app));
    const response = await customers.register(offer.token);
    // Without any event: directory alone knows it.
    stubs.rights.set(app, left);
    // The reply of the step before counts for a quarter of a second.
    await eventually(async () =>
      expect(await customers.getClaim(offer.token)).toMatchObject({ state: 'withdrawn', recovery: false }),
    );
    await expect(customers.beginClaim(offer.token)).rejects.toEqual(errorWith('claim_withdrawn'));
    await expect(customers.complete(offer.token, response)).rejects.toEqual(errorWith('claim_withdrawn'));
    stubs.rights.set(app, all);
    await lose(app, left);
    await isWithdrawn(offer.subject);
    stubs.rights.set(app, all);
    await eventually(() => expect(customers.getClaim(offer.token)).resolves.toMatchObject({ state: 'withdrawn' }));
    expect(withdrawn(offer.subject)).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({ offerId: offer.offerId, cause: 'maker' }),
        audit: expect.objectContaining({ action: 'offer.withdraw', actor: { type: 'system', id: 'issuance' } }),
      }),
    ]);
  });

  it('re-keys nobody once issued:manage is gone, while first offers of the app stay open', async () => {
    const first = await customers.offer({}, asApp(app));
    const known = await customers.offer({}, asApp(app));
    const passkey = new SoftwareAuthenticator();
    await customers.claim(known.token, passkey);
    clock.advance(1000);
    const recovery = await customers.offer({ subject: known.subject }, asApp(app));
    await lose(app, ['offers:write']);
    await isWithdrawn(known.subject);
    stubs.rights.set(app, all);
    await expect(customers.beginClaim(recovery.token)).rejects.toEqual(errorWith('claim_withdrawn'));
    await expect(customers.signIn({ authenticator: passkey })).resolves.toMatchObject({ outcome: 'signed_in' });
    await expect(customers.claim(first.token)).resolves.toMatchObject({ subject: first.subject });
  });

  it('is not claimed while directory does not reply', async () => {
    const offer = await customers.offer({}, asApp(app));
    const response = await customers.register(offer.token);
    stubs.rights.set(app, 'down');
    await eventually(() => expect(customers.getClaim(offer.token)).rejects.toEqual(errorWith('unavailable')));
    await expect(customers.complete(offer.token, response)).rejects.toEqual(errorWith('unavailable'));
    stubs.rights.set(app, all);
    await eventually(() => customers.getClaim(offer.token));
    await expect(customers.claim(offer.token)).resolves.toMatchObject({ subject: offer.subject });
  });

  it('ends with all others, one event each, and offers made after the right returned stay open', async () => {
    const before: Awaited<ReturnType<typeof customers.offer>>[] = [];
    // More than two batches of the worker. Few at once, since a busy machine makes the database wait.
    while (before.length < 120)
      before.push(...(await Promise.all(Array.from({ length: 8 }, () => customers.offer({}, asApp(app))))));
    const another = await customers.offer({}, asApp(`app_${randomUUID()}`));
    await lose(app, []);
    stubs.rights.set(app, all);
    clock.advance(1000);
    const later = await customers.offer({}, asApp(app));
    await eventually(() => before.every(({ subject }) => withdrawn(subject).length === 1));
    await eventually(async () => (await stack.database.query('SELECT 1 FROM issuance.ended_offer_right')).length === 0);
    await expect(customers.claim(later.token)).resolves.toMatchObject({ subject: later.subject });
    await expect(customers.claim(another.token)).resolves.toMatchObject({ subject: another.subject });
    expect(before.map(({ subject }) => withdrawn(subject).length)).toEqual(before.map(() => 1));
  });

  it('is either claimed or withdrawn when both happen at once, never both', async () => {
    process.stdout.write(`RACE_SEED=${seed}\n`);
    const random = randomSequence(seed);
    for (let round = 0; round < 5; round += 1) {
      const maker = `app_${randomUUID()}`;
      const offers = await Promise.all(Array.from({ length: 8 }, () => customers.offer({}, asApp(maker))));
      // Directory may answer too late on a busy machine.
      const responses = await Promise.all(offers.map(({ token }) => eventually(() => customers.register(token))));
      const claims = offers.map(({ token }, i) => async () => {
        await customers.complete(token, responses[i]!);
        return offers[i]!.subject;
      });
      const work = [...claims, () => lose(maker, [])];
      shuffle(work, random);
      const results = await Promise.allSettled(work.map((run) => run()));
      const claimed = results.flatMap((r) =>
        r.status === 'fulfilled' && typeof r.value === 'string' ? [r.value] : [],
      );
      await eventually(() =>
        offers.every(({ subject }) => customers.typesOf(subject).some((t) => t !== 'offer.created')),
      );
      for (const { subject } of offers)
        expect(customers.typesOf(subject)).toEqual([
          'offer.created',
          claimed.includes(subject) ? 'credential.issued' : 'offer.withdrawn',
        ]);
    }
  });
});

describe('an offer whose maker is a person', () => {
  withIssuance();
  const app = `app_${'p'.repeat(22)}`;
  let person: string;
  const byPerson = () => testContext({ actor: { type: 'person', id: person } });
  const rowsNaming = async (id: string) =>
    (await stack.database.query('SELECT 1 FROM issuance.offer WHERE person = $1', [id])).length;
  beforeEach(() => {
    person = randomUUID();
    stubs.rights.clear();
    stubs.rights.set(person, operationsOf(['support']));
  });

  it.each<[string, () => Partial<DirectoryEvent> & Pick<DirectoryEvent, 'type'>]>([
    ['loses the role', () => ({ type: 'role.changed', user: person, data: { user: person, roles: ['auditor'] } })],
    ['is deactivated', () => ({ type: 'user.deactivated', user: person, data: { user: person } })],
    ['is removed', () => ({ type: 'user.erasure_started', user: person })],
  ])('is withdrawn for good when the person %s, and no row names them', async (_, ended) => {
    const known = await customers.new();
    clock.advance(1000);
    const offers = [
      await customers.offer({ app }, byPerson()),
      await customers.offer({ subject: known.subject }, byPerson()),
    ];
    const claimedBefore = await customers.offer({ app }, byPerson());
    await customers.claim(claimedBefore.token);
    const ofApp = await customers.offer({}, asApp(app));
    const byThePerson = (await open()).filter(({ maker }) => maker.id === person);
    expect(byThePerson.map(({ maker }) => maker.type)).toEqual(['person', 'person']);
    stubs.rights.set(person, []);
    await publish(ended());
    for (const { subject } of offers) await isWithdrawn(subject);
    stubs.rights.set(person, operationsOf(['owner']));
    for (const { token } of offers)
      await eventually(() => expect(customers.beginClaim(token)).rejects.toEqual(errorWith('claim_withdrawn')));
    await expect(customers.claim(ofApp.token)).resolves.toMatchObject({ subject: ofApp.subject });
    await eventually(async () => (await rowsNaming(person)) === 0);
  });

  it('stays open for new customers only when the person may still make first offers', async () => {
    const known = await customers.new();
    clock.advance(1000);
    const first = await customers.offer({ app }, byPerson());
    const recovery = await customers.offer({ subject: known.subject }, byPerson());
    // No role of today leaves the one right without the other.
    stubs.rights.set(person, ['offers:write']);
    await eventually(() => expect(customers.beginClaim(recovery.token)).rejects.toEqual(errorWith('claim_withdrawn')));
    await expect(customers.claim(first.token)).resolves.toMatchObject({ subject: first.subject });
  });

  it('ends neither with the rights of the app nor with those of another person', async () => {
    const offer = await customers.offer({ app }, byPerson());
    await lose(app, []);
    await publish({ type: 'user.deactivated', user: randomUUID(), data: {} });
    await eventually(async () => (await stack.database.query('SELECT 1 FROM issuance.ended_offer_right')).length === 0);
    await expect(customers.claim(offer.token)).resolves.toMatchObject({ subject: offer.subject });
  });
});

describe('the open offers of every app', () => {
  withIssuance();

  it('are listed with their makers page by page, and an administrator or the operator withdraws them', async () => {
    const offers = await Promise.all(['app_b', 'app_a', 'app_b'].map((id) => customers.offer({}, asApp(id))));
    const listed = await open();
    expect(listed.map(({ offerId, maker }) => [maker.id, offerId]).sort()).toEqual(
      offers.map(({ offerId }, i) => [['app_b', 'app_a', 'app_b'][i], offerId]).sort(),
    );
    expect(listed[0]).toMatchObject({ maker: { type: 'app', id: 'app_a' }, existingCustomer: false });
    await expect(open('app_a')).resolves.toHaveLength(1);
    await stack.gateway.request(adminWithdrawOffer, { offerId: offers[0]!.offerId }, asPerson);
    await expect(customers.beginClaim(offers[0]!.token)).rejects.toEqual(errorWith('claim_withdrawn'));
    await stack.asOperator(adminWithdrawOffer, { offerId: offers[1]!.offerId });
    await expect(open()).resolves.toHaveLength(1);
    expect(stubs.recordedReads).not.toContain('offer.list of globex by operator');
    await stack.asOperator(adminListOffers, { limit: 10 });
    expect(stubs.recordedReads).toContain('offer.list of acme by operator');
  });

  it('are those of the organization alone', async () => {
    const { offerId } = await customers.offer({}, asApp('app_a'));
    const globex = testContext({ org: 'globex', actor: asPerson.actor });
    await expect(stack.gateway.request(adminListOffers, { limit: 10 }, globex)).resolves.toEqual({ items: [] });
    await expect(stack.gateway.request(adminWithdrawOffer, { offerId }, globex)).rejects.toEqual(
      errorWith('unknown_offer'),
    );
    await expect(stack.asOperator(adminListOffers, { limit: 10 }, 'mistyped')).rejects.toEqual(
      errorWith('unknown_organization'),
    );
  });
});
