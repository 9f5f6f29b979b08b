import type { Action, CredentialStatus, EventType, Offer } from '@holdfast/contracts';
import type { CustomerBrowsers, Devices } from './customer-browsers.fixture.ts';
import type { RetryingClient } from './retrying-client.ts';

/** What was acknowledged of one customer, and so must be so, for ever and exactly once. */
export interface Known {
  subject: string;
  status: CredentialStatus;
  erased: boolean;
  /** In their order. */
  events: EventType[];
  /** Changes, each of which has one record of a success. */
  actions: Action[];
}

/**
 * A whole life: offered, maybe claimed, then whatever chance wants, one after the other. `random` gives 0 up to below
 * n.
 */
export async function live(
  shop: RetryingClient,
  browsers: CustomerBrowsers,
  key: string,
  random: (below: number) => number,
): Promise<Known> {
  const offer = await shop.offer(key);
  const known: Known = {
    subject: offer.subject,
    status: 'offered',
    erased: false,
    events: ['offer.created'],
    actions: [],
  };
  const note = (event: EventType, action: Action, status = known.status) => {
    known.events.push(event);
    known.actions.push(action);
    known.status = status;
  };
  if (random(5) === 0) await shop.read(known.subject);
  const fate = random(10);
  if (fate === 0) {
    await shop.withdraw(offer.offerId);
    note('offer.withdrawn', 'offer.withdraw', 'revoked');
  } else if (fate > 3) {
    const devices = await browsers.claim(offer);
    note('credential.issued', 'credential.claim', 'issued');
    await hold(shop, browsers, { offer, known, devices, key }, note, random);
  }
  if (random(5) === 0) {
    await shop.erase(known.subject);
    known.erased = true;
  }
  return known;
}

interface Held {
  offer: Offer;
  known: Known;
  devices: Devices;
  key: string;
}

async function hold(
  shop: RetryingClient,
  browsers: CustomerBrowsers,
  held: Held,
  note: (event: EventType, action: Action, status?: CredentialStatus) => void,
  random: (below: number) => number,
): Promise<void> {
  const { offer, known, key } = held;
  for (let step = random(5); step > 0 && known.status !== 'revoked'; step -= 1) {
    const what =
      known.status === 'suspended'
        ? ['resume', 'resume', 'revoke', 'in vain'][random(4)]
        : ['sign in', 'sign in', 'sign in', 'suspend', 'recover', 'revoke'][random(6)];
    if (what === 'sign in') await browsers.signIn(known.subject, held.devices);
    if (what === 'in vain') await browsers.expectDenied(held.devices, known.status);
    if (what === 'recover') {
      const again = await shop.offer(`${key}-${step}`, { subject: known.subject });
      known.events.push('offer.created');
      held.devices = await browsers.claim(again);
      note('credential.rekeyed', 'credential.claim');
    }
    if (what === 'suspend' || what === 'resume' || what === 'revoke') {
      await shop.change(offer.credentialId, what);
      const after = {
        suspend: ['credential.suspended', 'suspended'],
        resume: ['credential.resumed', 'issued'],
        revoke: ['credential.revoked', 'revoked'],
      } as const;
      note(after[what][0], `credential.${what}`, after[what][1]);
    }
  }
  if (known.status === 'revoked') await browsers.expectDenied(held.devices, known.status);
}
