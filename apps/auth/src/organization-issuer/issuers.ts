import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Provider } from 'oidc-provider';
import { Counter, Gauge, Histogram } from 'prom-client';
import { RevocationFeed } from '@holdfast/access';
import { CLOCK, type Clock } from '@holdfast/platform';
import { KeyWatch } from '../keys/key-watch.js';
import { issuerOf, SigningKeys } from '../keys/signing-keys.js';
import { Organizations, type OrganizationProfile } from '../organizations/organizations.js';
import type { SignInBinding } from './interactions/sign-in-binding.js';
import { IssuerServices } from './issuer-services.js';

export interface Issuer {
  organization: OrganizationProfile;
  provider: Provider;
  signIns: SignInBinding;
  callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Version of its keys. */
  version: number;
  /** When its keys change by themselves, in ms since 1970. */
  changesAt: number;
}

const maxCached = 1000;

const cachedIssuers = new Gauge({ name: 'holdfast_issuers_cached', help: 'Issuers of organizations in the cache' });
const misses = new Counter({ name: 'holdfast_issuer_misses_total', help: 'Issuers that were built for a request' });
const buildSeconds = new Histogram({
  name: 'holdfast_issuer_build_seconds',
  help: 'Time to build an issuer and load its keys',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
});

/** The issuers of organizations. Each is built at its first request, and again when its keys, name or RP ID change. */
@Injectable()
export class Issuers {
  private readonly cache = new LRUCache<string, Issuer>({ max: maxCached });
  private readonly building = new Map<string, Promise<Issuer>>();

  constructor(
    private readonly services: IssuerServices,
    private readonly organizations: Organizations,
    private readonly keys: SigningKeys,
    @Inject(CLOCK) private readonly clock: Clock,
    watch: KeyWatch,
    feed: RevocationFeed,
  ) {
    watch.onChange((issuer, version) => {
      const shortId = issuer.slice(2);
      if (issuer === issuerOf(shortId) && (this.cache.peek(shortId)?.version ?? version) < version) this.drop(shortId);
    });
    feed.onChange((entry) => {
      if (entry?.kind === 'organization') this.drop(entry.id);
    });
  }

  /** Undefined when there is no such organization, or it is suspended. @throws AppError `unavailable` */
  async find(shortId: string): Promise<Issuer | undefined> {
    const organization = await this.organizations.find(shortId);
    if (!organization) return undefined;
    const cached = this.cache.get(shortId);
    if (cached && cached.changesAt > this.clock.now().getTime() && isDeepStrictEqual(cached.organization, organization))
      return cached;
    const building =
      this.building.get(shortId) ?? this.build(organization).finally(() => this.building.delete(shortId));
    this.building.set(shortId, building);
    return building;
  }

  private async build(organization: OrganizationProfile): Promise<Issuer> {
    const { shortId } = organization;
    misses.inc();
    const stopTimer = buildSeconds.startTimer();
    const { keys, version, changesAt } = await this.keys.load(issuerOf(shortId));
    const { provider, signIns } = this.services.create(organization, keys);
    const issuer: Issuer = { organization, provider, signIns, callback: provider.callback(), version, changesAt };
    this.cache.set(shortId, issuer);
    cachedIssuers.set(this.cache.size);
    stopTimer();
    return issuer;
  }

  private drop(shortId: string): void {
    this.cache.delete(shortId);
    this.building.delete(shortId);
    cachedIssuers.set(this.cache.size);
  }
}
