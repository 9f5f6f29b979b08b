import { Counter } from 'prom-client';
import type { RequestContext, ServiceName } from '@holdfast/contracts';
import { AppError, unavailable } from '@holdfast/platform';

export interface FairAdmissionLimits {
  /** Requests that are handled at once. */
  max: number;
  /** Of one organization. Below `max`, so that a request of another one is handled at once. */
  maxOfOrganization: number;
  /** Requests of one organization that wait for their turn. */
  maxWaitingOfOrganization: number;
  /** Of all: fewer than a service handles at once (Admission), since other requests wait there beside these. */
  maxWaiting: number;
  /** Below half of the time limit of a query, after which its caller asks another replica. */
  maxWaitMs: number;
}

const defaults: FairAdmissionLimits = {
  max: 8,
  maxOfOrganization: 6,
  maxWaitingOfOrganization: 32,
  maxWaiting: 128,
  maxWaitMs: 500,
};

const refused = new Counter({
  name: 'holdfast_fair_admission_refused_total',
  help:
    'Requests that are divided fairly between organizations and were refused: `organization` when their organization ' +
    'had too many at once, `all` when all organizations together had',
  labelNames: ['service', 'because'],
});

interface Organization {
  /** Number of its last start; 0 before the first one. */
  startedAs: number;
  running: number;
  waiting: (() => void)[];
}

/**
 * Divides the requests that a service handles at once between organizations. When all places are taken, the
 * organization with the fewest running requests comes next, and those with as few take turns. So an organization with
 * many large requests delays its own, and not those of others.
 */
export class FairAdmission {
  private readonly organizations = new Map<string, Organization>();
  private running = 0;
  private waiting = 0;
  private started = 0;

  constructor(
    private readonly service: string,
    private readonly limits: FairAdmissionLimits = defaults,
  ) {}

  /**
   * The operator's requests are for the platform, and have a place of their own among the organizations.
   * @throws rate_limited when too many of the organization run and wait; unavailable when too many of all do
   */
  async run<T>({ org, actor }: RequestContext, work: () => Promise<T>): Promise<T> {
    const key = actor.type === 'operator' ? '' : org;
    const organization = this.organizations.get(key) ?? { startedAs: 0, running: 0, waiting: [] };
    this.organizations.set(key, organization);
    try {
      await this.begin(organization);
      try {
        return await work();
      } finally {
        organization.running -= 1;
        this.running -= 1;
        this.beginNext();
      }
    } finally {
      if (organization.running === 0 && organization.waiting.length === 0) this.organizations.delete(key);
    }
  }

  private async begin(organization: Organization): Promise<void> {
    if (this.hasRoomFor(organization)) return this.start(organization);
    if (organization.waiting.length >= this.limits.maxWaitingOfOrganization) throw this.ofOrganization();
    if (this.waiting >= this.limits.maxWaiting) throw this.ofAll();
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.start(organization);
        resolve();
      };
      const timer = setTimeout(() => {
        organization.waiting.splice(organization.waiting.indexOf(begin), 1);
        this.waiting -= 1;
        // When its own requests do not take all of its places, those of others take the rest.
        const isOwn = organization.running >= this.limits.maxOfOrganization;
        reject(isOwn ? this.ofOrganization() : this.ofAll());
      }, this.limits.maxWaitMs);
      organization.waiting.push(begin);
      this.waiting += 1;
    });
  }

  private hasRoomFor({ running }: Organization): boolean {
    return this.running < this.limits.max && running < this.limits.maxOfOrganization;
  }

  private start(organization: Organization): void {
    organization.running += 1;
    organization.startedAs = this.started += 1;
    this.running += 1;
  }

  private beginNext(): void {
    let next: Organization | undefined;
    for (const each of this.organizations.values())
      if (each.waiting.length > 0 && this.hasRoomFor(each) && (!next || comesBefore(each, next))) next = each;
    if (!next) return;
    this.waiting -= 1;
    next.waiting.shift()!();
  }

  private ofOrganization(): AppError {
    refused.inc({ service: this.service, because: 'organization' });
    return tooManyOfOrganization(this.service);
  }

  private ofAll(): AppError {
    refused.inc({ service: this.service, because: 'all' });
    return unavailable(`${this.service} is overloaded; try again in a moment.`, 1, {
      dependency: 'admission',
      cause: 'overloaded',
    });
  }
}

function comesBefore(a: Organization, b: Organization): boolean {
  return a.running === b.running ? a.startedAs < b.startedAs : a.running < b.running;
}

export function tooManyOfOrganization(service: string): AppError {
  return new AppError(
    'rate_limited',
    `The apps and people of your organization send too many requests to ${service} at once. Try again in a moment, ` +
      'with fewer at once.',
    { retryAfter: 1 },
  );
}

const admissions = new Map<ServiceName, FairAdmission>();

/** The division of the requests that this process handles as `service`. */
export function fairAdmissionOf(service: ServiceName): FairAdmission {
  let admission = admissions.get(service);
  if (!admission) admissions.set(service, (admission = new FairAdmission(service)));
  return admission;
}

export function configureFairAdmission(service: ServiceName, limits: Partial<FairAdmissionLimits>): void {
  admissions.set(service, new FairAdmission(service, { ...defaults, ...limits }));
}
