import type { AnalyticsGroup, AnalyticsMetric, AnalyticsValue } from '@holdfast/contracts';
import type { LoggedLeaf } from './tally.js';

/** A counted fact with its exact time. */
interface Fact {
  at: number;
  app?: string | undefined;
  credentialType?: string | undefined;
  reason?: string | undefined;
  count?: number;
  tookMs?: number;
  customer?: string;
}

interface Offered {
  at: number;
  app: string;
  credentialType: string;
}

const idOf = (leaf: LoggedLeaf, type: string) => leaf.targets.find((target) => target.type === type)?.id;

/** Recounts a whole log from docs/analytics.md, without roll-ups: the numbers to which analytics must be equal. */
export class Recount {
  private readonly done: LoggedLeaf[];

  constructor(private readonly log: readonly LoggedLeaf[]) {
    this.done = log.filter(({ outcome }) => outcome.result === 'success' && !outcome.replay);
  }

  /** The values of one group. Undefined stands for all. */
  values(metric: AnalyticsMetric, bounds: readonly number[], groupBy?: AnalyticsGroup, group?: string) {
    return bounds.slice(0, -1).map((from, bucket): AnalyticsValue => {
      const isIn = ({ at }: Fact) => at >= from && at < bounds[bucket + 1]!;
      const isOf = (fact: Fact) => groupBy === undefined || fact[groupBy] === group;
      const sum = (facts: Fact[]) => facts.filter((f) => isIn(f) && isOf(f)).reduce((n, f) => n + (f.count ?? 1), 0);
      switch (metric) {
        case 'claim-rate': {
          const [offers, claimed] = [sum(this.facts('offers')), sum(this.claimedOffers())];
          return { offers, claimed, ...(offers > 0 && { rate: Math.round((claimed / offers) * 10_000) / 10_000 }) };
        }
        case 'active-customers':
          return {
            customers: new Set(
              this.facts(metric)
                .filter(isIn)
                .map((f) => f.customer),
            ).size,
          };
        default:
          return { count: sum(this.facts(metric)) };
      }
    });
  }

  /** Durations of all claims in a time span, in ms, ascending. */
  durations(from: number, to: number): number[] {
    const facts = this.facts('time-to-claim').filter(({ at }) => at >= from && at < to);
    return facts.map(({ tookMs }) => tookMs!).sort((a, b) => a - b);
  }

  /** How many credentials are in each state after the whole log. */
  states(): Record<string, number> {
    const credentials = new Map<string, { customer: string; status: string; expired: boolean; offer: string }>();
    for (const leaf of this.done) {
      const id = idOf(leaf, 'credential') ?? '';
      const known = credentials.get(id);
      const customer = idOf(leaf, 'customer') ?? '';
      const offer = idOf(leaf, 'offer') ?? '';
      if (leaf.erased?.includes(id)) continue;
      if (leaf.action === 'offer.create')
        credentials.set(id, { status: 'offered', expired: false, customer, ...known, offer });
      if (leaf.action === 'credential.claim')
        credentials.set(id, { status: 'issued', expired: false, customer, offer: '' });
      if (leaf.action === 'subject.erase')
        for (const [each, { customer: owner }] of credentials) if (owner === customer) credentials.delete(each);
      if (!known) continue;
      if (leaf.action === 'credential.suspend') Object.assign(known, { status: 'suspended', offer: '' });
      if (leaf.action === 'credential.resume') known.status = 'issued';
      if (leaf.action === 'credential.revoke') Object.assign(known, { status: 'revoked', offer: '' });
      if (leaf.action === 'credential.expire') known.expired = true;
      if (leaf.action === 'credential.renew') known.expired = false;
      if (leaf.action === 'offer.withdraw' && known.offer === offer) {
        if (known.status === 'offered') known.status = 'revoked';
        known.offer = '';
      }
    }
    const states = { offered: 0, live: 0, suspended: 0, expired: 0, revoked: 0 };
    for (const { status, expired } of credentials.values()) {
      const isExpired = expired && (status === 'issued' || status === 'suspended');
      states[isExpired ? 'expired' : status === 'issued' ? 'live' : (status as keyof typeof states)] += 1;
    }
    return states;
  }

  private facts(metric: AnalyticsMetric): Fact[] {
    const of = (log: readonly LoggedLeaf[], dimensions: (leaf: LoggedLeaf) => Partial<Fact> = () => ({})): Fact[] =>
      log.map((leaf) => ({ at: Date.parse(leaf.occurredAt), count: leaf.outcome.count ?? 1, ...dimensions(leaf) }));
    const isSignIn = ({ action }: LoggedLeaf) => action === 'customer.sign_in';
    const signIns = this.done.filter(isSignIn);
    const claims = this.done.filter(({ action }) => action === 'credential.claim');
    const withReason = (leaf: LoggedLeaf) => ({ app: appOf(leaf), reason: leaf.outcome.code });
    const ofCredential = (leaf: LoggedLeaf) => {
      const { app, credentialType } = this.firstOfferOf(leaf) ?? {};
      return { app, credentialType };
    };
    switch (metric) {
      case 'offers':
        return of(
          this.done.filter(({ action }) => action === 'offer.create'),
          (leaf) => ({ app: appOf(leaf), credentialType: leaf.changes?.credentialType?.to as string }),
        );
      case 'claims':
        return of(claims, ofCredential);
      case 'recoveries':
        return of(
          claims.filter((leaf) => leaf.changes?.status?.from === 'issued'),
          ofCredential,
        );
      case 'time-to-claim':
        return claims.flatMap((leaf) => {
          const offered = this.openOfferOf(leaf);
          if (!offered) return [];
          const at = Date.parse(leaf.occurredAt);
          return [{ at, ...ofCredential(leaf), tookMs: at - offered.at }];
        });
      case 'sign-ins':
        return of(signIns, (leaf) => ({ ...ofCredential(leaf), app: appOf(leaf) }));
      case 'failed-sign-ins':
        return of(
          this.log.filter((leaf) => isSignIn(leaf) && leaf.outcome.result !== 'success'),
          withReason,
        );
      case 'active-customers':
        return of([...signIns, ...claims], (leaf) => ({ customer: leaf.actor.id }));
      case 'api-calls':
        return of(
          this.log.filter(({ actor }) => actor.type === 'app'),
          (leaf) => ({ app: leaf.actor.id }),
        );
      case 'denied-requests':
        return of(
          this.log.filter(({ outcome }) => outcome.result === 'denied'),
          withReason,
        );
      case 'claim-rate':
      case 'credentials':
        throw new Error(`${metric} is no sum of facts`);
    }
  }

  /** The offers that were claimed later, at their own time. */
  private claimedOffers(): Fact[] {
    return this.done
      .filter(({ action }) => action === 'credential.claim')
      .flatMap((leaf) => {
        const offered = this.openOfferOf(leaf);
        const { app, credentialType } = this.firstOfferOf(leaf) ?? {};
        return offered ? [{ at: offered.at, app, credentialType }] : [];
      });
  }

  /** What is known of the credential of an entry: from the entry after its customer's last erasure that names it. */
  private firstOfferOf(leaf: LoggedLeaf): Offered | undefined {
    const [first] = this.historyOf(leaf);
    if (first?.action !== 'offer.create') return undefined;
    return {
      at: Date.parse(first.occurredAt),
      app: appOf(first) ?? '',
      credentialType: first.changes?.credentialType?.to as string,
    };
  }

  /** The last offer before a claim, unless something has closed it. */
  private openOfferOf(claim: LoggedLeaf): { at: number } | undefined {
    let open: { at: number; offer: string | undefined } | undefined;
    for (const leaf of this.historyOf(claim)) {
      if (leaf.action === 'offer.create') open = { at: Date.parse(leaf.occurredAt), offer: idOf(leaf, 'offer') };
      const closes = ['credential.claim', 'credential.suspend', 'credential.revoke'].includes(leaf.action);
      if (closes || (leaf.action === 'offer.withdraw' && open?.offer === idOf(leaf, 'offer'))) open = undefined;
    }
    return open?.offer === idOf(claim, 'offer') ? open : undefined;
  }

  /** Earlier changes of the same credential since it became known, and since its customer was erased. */
  private historyOf(leaf: LoggedLeaf): LoggedLeaf[] {
    const credential = idOf(leaf, 'credential');
    const opening = new Set(['offer.create', 'credential.claim']);
    let history: LoggedLeaf[] = [];
    let customer: string | undefined;
    for (const each of this.done.slice(0, this.done.indexOf(leaf))) {
      if (each.action === 'subject.erase' && idOf(each, 'customer') === customer) history = [];
      if (idOf(each, 'credential') !== credential || each.erased?.includes(credential!)) continue;
      if (history.length === 0 && !opening.has(each.action)) continue;
      if (opening.has(each.action)) customer = idOf(each, 'customer');
      history.push(each);
    }
    return history;
  }
}

function appOf(leaf: LoggedLeaf): string | undefined {
  return leaf.actor.type === 'app' ? leaf.actor.id : idOf(leaf, 'app');
}
