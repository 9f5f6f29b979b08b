import type { AuditEvent } from '@holdfast/contracts';
import { rollUpStart } from './calendar.js';
import { durationClass } from './durations.js';

/** A leaf as `leafOf` makes it: with pseudonyms in place of the ids of customers and of what is theirs. */
export type LoggedLeaf = Pick<AuditEvent, 'occurredAt' | 'action' | 'actor' | 'targets' | 'outcome' | 'request'> & {
  changes?: Record<string, { from?: unknown; to?: unknown }>;
  /** Pseudonyms of ids that were erased before. */
  erased?: string[];
};

type CredentialStatus = 'offered' | 'issued' | 'suspended' | 'revoked';
export type CountedAs =
  | 'offers'
  | 'claims'
  | 'claimed-offers'
  | 'time-to-claim'
  | 'recoveries'
  | 'sign-ins'
  | 'failed-sign-ins'
  | 'credentials'
  | 'api-calls'
  | 'denied-requests';

/** What the log has said of a credential so far, by pseudonyms. */
export interface KnownCredential {
  credential: string;
  customer: string;
  app: string;
  credentialType: string;
  status: CredentialStatus;
  expired: boolean;
  /** The last offer that has not been claimed, and when it was made. */
  offer?: string | undefined;
  offeredAt?: Date | undefined;
}

/** `part`: reason of a denial, state of a credential, or class of a duration. */
export interface Count {
  metric: CountedAs;
  /** Beginning of the quarter of an hour, in ms. */
  at: number;
  app: string;
  credentialType: string;
  part: string;
  count: number;
}

type Dimensions = Partial<Pick<Count, 'app' | 'credentialType' | 'part' | 'count'>>;

/** Counts entries in the order of the log. Every number of docs/analytics.md is defined here. */
export class Tally {
  private readonly counted = new Map<string, Count>();
  /** Pseudonyms of customers who claimed or signed in, by quarter of an hour. */
  readonly active = new Map<number, Set<string>>();
  /** Changed ones. */
  readonly changed = new Map<string, KnownCredential>();
  /** Those of erased customers. */
  readonly removed = new Set<string>();
  private readonly known: Map<string, KnownCredential>;

  /** @param known every credential that the entries or the erased customers among their targets concern */
  constructor(known: Iterable<KnownCredential>) {
    this.known = new Map([...known].map((credential) => [credential.credential, credential]));
  }

  get counts(): Count[] {
    return [...this.counted.values()].filter(({ count }) => count !== 0);
  }

  add(leaf: LoggedLeaf): void {
    this.addRequest(leaf);
    const { action, outcome } = leaf;
    if (action === 'customer.sign_in') this.addSignIn(leaf);
    // A replay repeats the response of an earlier request: nothing was done.
    if (outcome.result !== 'success' || outcome.replay) return;
    if (action === 'offer.create') this.addOffer(leaf);
    else if (action === 'credential.claim') this.addClaim(leaf);
    else if (action === 'subject.erase') this.removeCustomer(leaf);
    else this.changeCredential(leaf);
  }

  private addRequest(leaf: LoggedLeaf): void {
    const { actor, outcome } = leaf;
    const count = outcome.count ?? 1;
    if (actor.type === 'app') this.count('api-calls', leaf, { app: actor.id, count });
    if (outcome.result === 'denied')
      this.count('denied-requests', leaf, { app: appOf(leaf), part: outcome.code ?? '', count });
  }

  private addSignIn(leaf: LoggedLeaf): void {
    const { actor, outcome } = leaf;
    const count = outcome.count ?? 1;
    if (outcome.result !== 'success')
      return this.count('failed-sign-ins', leaf, { app: appOf(leaf), part: outcome.code ?? '', count });
    const { credentialType = '' } = this.known.get(targetOf(leaf, 'credential') ?? '') ?? {};
    this.count('sign-ins', leaf, { app: appOf(leaf), credentialType, count });
    this.activate(leaf, actor.id);
  }

  private addOffer(leaf: LoggedLeaf): void {
    const credentialType = textOf(leaf.changes?.credentialType?.to);
    const dimensions = { app: appOf(leaf), credentialType };
    this.count('offers', leaf, dimensions);
    const credential = targetOf(leaf, 'credential');
    if (credential === undefined || leaf.erased?.includes(credential)) return;
    const before = this.known.get(credential);
    const offer = { offer: targetOf(leaf, 'offer'), offeredAt: new Date(leaf.occurredAt) };
    const customer = targetOf(leaf, 'customer') ?? '';
    this.change(leaf, before, {
      ...(before ?? { credential, customer, ...dimensions, status: 'offered', expired: false }),
      ...offer,
    });
  }

  private addClaim(leaf: LoggedLeaf): void {
    const credential = targetOf(leaf, 'credential') ?? '';
    const before = this.known.get(credential);
    const { app = '', credentialType = '', offer, offeredAt } = before ?? {};
    this.count('claims', leaf, { app, credentialType });
    if (leaf.changes?.status?.from === 'issued') this.count('recoveries', leaf, { app, credentialType });
    this.activate(leaf, leaf.actor.id);
    if (offeredAt && offer === targetOf(leaf, 'offer')) {
      const tookMs = Date.parse(leaf.occurredAt) - offeredAt.getTime();
      this.count('time-to-claim', leaf, { app, credentialType, part: durationClass(tookMs) });
      this.count('claimed-offers', { occurredAt: offeredAt.toISOString() }, { app, credentialType });
    }
    if (credential === '' || leaf.erased?.includes(credential)) return;
    const customer = targetOf(leaf, 'customer') ?? '';
    this.change(leaf, before, { credential, customer, app, credentialType, status: 'issued', expired: false });
  }

  private changeCredential(leaf: LoggedLeaf): void {
    const before = this.known.get(targetOf(leaf, 'credential') ?? '');
    const after = before && afterTransition(before, leaf);
    if (after) this.change(leaf, before, after);
  }

  /** The numbers of the past stay. From now on none of the customer's credentials counts in any state. */
  private removeCustomer(leaf: LoggedLeaf): void {
    const customer = targetOf(leaf, 'customer');
    for (const credential of this.known.values()) {
      if (credential.customer !== customer) continue;
      this.count('credentials', leaf, { ...dimensionsOf(credential), count: -1 });
      this.known.delete(credential.credential);
      this.changed.delete(credential.credential);
      this.removed.add(credential.credential);
    }
  }

  private change(leaf: LoggedLeaf, before: KnownCredential | undefined, after: KnownCredential): void {
    if (before) this.count('credentials', leaf, { ...dimensionsOf(before), count: -1 });
    this.count('credentials', leaf, dimensionsOf(after));
    this.known.set(after.credential, after);
    this.changed.set(after.credential, after);
    this.removed.delete(after.credential);
  }

  private activate({ occurredAt }: LoggedLeaf, pseudonym: string): void {
    const at = rollUpStart(occurredAt);
    const active = this.active.get(at);
    if (active) active.add(pseudonym);
    else this.active.set(at, new Set([pseudonym]));
  }

  private count(metric: CountedAs, { occurredAt }: Pick<LoggedLeaf, 'occurredAt'>, dimensions: Dimensions): void {
    const added = {
      metric,
      at: rollUpStart(occurredAt),
      app: '',
      credentialType: '',
      part: '',
      count: 1,
      ...dimensions,
    };
    const key = JSON.stringify([metric, added.at, added.app, added.credentialType, added.part]);
    const existing = this.counted.get(key);
    if (existing) existing.count += added.count;
    else this.counted.set(key, added);
  }
}

/** Undefined for actions that change no credential. */
function afterTransition(before: KnownCredential, leaf: LoggedLeaf): KnownCredential | undefined {
  const withoutOffer = { ...before, offer: undefined, offeredAt: undefined };
  switch (leaf.action) {
    case 'offer.withdraw':
      return before.offer === targetOf(leaf, 'offer')
        ? { ...withoutOffer, status: before.status === 'offered' ? 'revoked' : before.status }
        : undefined;
    case 'credential.suspend':
      return { ...withoutOffer, status: 'suspended' };
    case 'credential.resume':
      return { ...before, status: 'issued' };
    case 'credential.revoke':
      return { ...withoutOffer, status: 'revoked' };
    case 'credential.renew':
      return { ...before, expired: false };
    case 'credential.expire':
      return { ...before, expired: true };
    default:
      return undefined;
  }
}

/** A credential is counted in one state; one that is expired and suspended counts as expired. */
function dimensionsOf({ app, credentialType, status, expired }: KnownCredential): Dimensions {
  const isHeld = status === 'issued' || status === 'suspended';
  return { app, credentialType, part: isHeld && expired ? 'expired' : status === 'issued' ? 'live' : status };
}

/** The app that made the request, or for which a browser made it. */
function appOf(leaf: LoggedLeaf): string {
  return leaf.actor.type === 'app' ? leaf.actor.id : (targetOf(leaf, 'app') ?? '');
}

export function targetOf({ targets }: Pick<LoggedLeaf, 'targets'>, type: string): string | undefined {
  return targets.find((target) => target.type === type)?.id;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
