import type { Action, CredentialStatus, EventType, Offer } from '@holdfast/contracts';
import type { RandomSequence } from '@holdfast/testing';
import type { CustomerBrowsers, Devices } from './customer-browsers.fixture.ts';
import type { RetryingClient } from './retrying-client.ts';

/** What was acknowledged for one customer. Each part must be in the stack exactly once and must not be lost. */
export interface AcknowledgedCustomer {
  subject: string;
  status: CredentialStatus;
  erased: boolean;
  /** In their order. */
  events: EventType[];
  /** Changes, each of which has one record of a success. */
  actions: Action[];
  /** Sessions at the app. Ended: a later change of the customer has revoked them. */
  sessions: { sid: string; ended: boolean }[];
}

const endsSessions = new Set<EventType>(['credential.rekeyed', 'credential.suspended', 'credential.revoked']);

type RecordTransition = (event: EventType, action: Action, status?: CredentialStatus) => void;

/** One customer from the offer on: withdrawn, left open, or claimed and used; some are erased. `random` decides. */
export async function simulateCustomer(
  shop: RetryingClient,
  browsers: CustomerBrowsers,
  idempotencyKey: string,
  random: RandomSequence,
): Promise<AcknowledgedCustomer> {
  const offer = await shop.offer(idempotencyKey);
  const customer: AcknowledgedCustomer = {
    subject: offer.subject,
    status: 'offered',
    erased: false,
    events: ['offer.created'],
    actions: [],
    sessions: [],
  };
  const recordTransition: RecordTransition = (event, action, status = customer.status) => {
    customer.events.push(event);
    customer.actions.push(action);
    customer.status = status;
    if (endsSessions.has(event)) endAllSessions(customer);
  };
  if (random(5) === 0) await shop.read(customer.subject);
  const choice = random(10);
  if (choice === 0) {
    await shop.withdraw(offer.offerId);
    recordTransition('offer.withdrawn', 'offer.withdraw', 'revoked');
  } else if (choice > 3) {
    const passkeys = [await browsers.claim(offer)];
    recordTransition('credential.issued', 'credential.claim', 'issued');
    await useCredential(shop, browsers, { offer, customer, passkeys, idempotencyKey }, recordTransition, random);
  }
  if (random(5) === 0) {
    await shop.erase(customer.subject);
    customer.erased = true;
    endAllSessions(customer);
  }
  return customer;
}

function endAllSessions(customer: AcknowledgedCustomer): void {
  for (const session of customer.sessions) session.ended = true;
}

interface Claimed {
  offer: Offer;
  customer: AcknowledgedCustomer;
  /** Each signs in. */
  passkeys: Devices[];
  idempotencyKey: string;
}

const transitions = {
  suspend: ['credential.suspended', 'suspended'],
  resume: ['credential.resumed', 'issued'],
  revoke: ['credential.revoked', 'revoked'],
} as const;

async function useCredential(
  shop: RetryingClient,
  browsers: CustomerBrowsers,
  claimed: Claimed,
  recordTransition: RecordTransition,
  random: RandomSequence,
): Promise<void> {
  const { offer, customer, idempotencyKey } = claimed;
  for (let step = random(5); step > 0 && customer.status !== 'revoked'; step -= 1) {
    const next =
      customer.status === 'suspended'
        ? (['resume', 'resume', 'revoke', 'denied sign-in'] as const)[random(4)]
        : (['sign-in', 'sign-in', 'sign-in', 'add', 'suspend', 'recover', 'revoke'] as const)[random(7)];
    if (next === 'sign-in') {
      const passkey = claimed.passkeys[random(claimed.passkeys.length)]!;
      customer.sessions.push({ sid: await browsers.signIn(customer.subject, passkey), ended: false });
    }
    if (next === 'denied sign-in') await browsers.expectDenied(claimed.passkeys.flat(), customer.status);
    if (next === 'add') {
      const further = await shop.offer(`${idempotencyKey}-${step}`, { subject: customer.subject, adds: true });
      customer.events.push('offer.created');
      claimed.passkeys.push(await browsers.claim(further));
      recordTransition('credential.passkey_added', 'passkey.add');
    }
    if (next === 'recover') {
      const recovery = await shop.offer(`${idempotencyKey}-${step}`, { subject: customer.subject });
      customer.events.push('offer.created');
      claimed.passkeys = [await browsers.claim(recovery)];
      recordTransition('credential.rekeyed', 'credential.claim');
    }
    if (next === 'suspend' || next === 'resume' || next === 'revoke') {
      await shop.change(offer.credentialId, next);
      const [event, status] = transitions[next];
      recordTransition(event, `credential.${next}`, status);
    }
  }
  if (customer.status === 'revoked') await browsers.expectDenied(claimed.passkeys.flat(), customer.status);
}
