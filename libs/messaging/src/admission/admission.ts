import { Counter, Gauge } from 'prom-client';
import type { ErrorOrigin, ServiceName } from '@holdfast/contracts';
import { AppError, expired, unavailable } from '@holdfast/platform';
import { loadOf, type Load } from './load.js';

export interface AdmissionLimits {
  /** Requests that are handled concurrently. */
  maxRunning: number;
  /** Requests that wait to be handled. */
  maxQueued: number;
  /** A request that has waited longer is rejected when its turn comes, so that accepted requests stay fast. */
  maxWaitMs: number;
}

interface Waiting {
  enqueuedAt: number;
  expiresAt: number | undefined;
  begin: () => void;
  reject: (error: AppError) => void;
}

const rejected = new Counter({
  name: 'holdfast_admission_rejected_total',
  help: 'Requests that were rejected before they were handled: too many at once, or expired while they waited',
  labelNames: ['service', 'cause'],
});

/** The limits in use, by what they protect. */
const inUse = new Map<string, Admission>();

new Gauge({
  name: 'holdfast_admission_requests',
  help: 'Requests that are handled (`running`) or wait to be handled (`queued`)',
  labelNames: ['service', 'state'],
  collect() {
    for (const [service, admission] of inUse)
      for (const [state, { now }] of Object.entries(admission.usage)) this.set({ service, state }, now);
  },
});
new Gauge({
  name: 'holdfast_admission_limit',
  help: 'How many requests may be handled or wait at once; others are rejected',
  labelNames: ['service', 'state'],
  collect() {
    for (const [service, admission] of inUse)
      for (const [state, { max }] of Object.entries(admission.usage)) this.set({ service, state }, max);
  },
});

const defaults: AdmissionLimits = { maxRunning: 256, maxQueued: 256, maxWaitMs: 250 };

/**
 * Limits how many requests of a service are handled concurrently and how many wait, and rejects the others at once. An
 * overloaded service that accepts more delays all of them, until every response comes after its caller's timeout.
 */
export class Admission {
  private running = 0;
  private readonly queue: Waiting[] = [];
  private readonly load: Load;

  constructor(
    private readonly service: string,
    private readonly limits: AdmissionLimits = defaults,
    private readonly now: () => number = () => performance.now(),
  ) {
    inUse.set(service, this);
    this.load = loadOf(service);
  }

  get usage(): Record<'running' | 'queued', { now: number; max: number }> {
    return {
      running: { now: this.running, max: this.limits.maxRunning },
      queued: { now: this.queue.length, max: this.limits.maxQueued },
    };
  }

  /** @throws unavailable, before `work` runs, when the limits are reached or the caller's timeout has passed */
  async run<T>(expiresAt: number | undefined, work: () => Promise<T>): Promise<T> {
    await this.enter(expiresAt);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(expiresAt: number | undefined): Promise<void> {
    const now = this.now();
    if (expiresAt !== undefined && expiresAt <= now) throw this.rejection('expired');
    if (this.running < this.limits.maxRunning) {
      this.running += 1;
      this.load.accept(this.share());
      return;
    }
    if (this.queue.length >= this.limits.maxQueued) throw this.rejection('overloaded');
    const begun = new Promise<void>((begin, reject) => this.queue.push({ enqueuedAt: now, expiresAt, begin, reject }));
    this.load.accept(this.share());
    await begun;
  }

  /** Begins the first waiting request that has not expired. */
  private leave(): void {
    const now = this.now();
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if (next.expiresAt !== undefined && next.expiresAt <= now) next.reject(this.rejection('expired'));
      else if (now - next.enqueuedAt > this.limits.maxWaitMs) next.reject(this.rejection('overloaded'));
      else return next.begin();
    }
    this.running -= 1;
  }

  private share(): number {
    return (this.running + this.queue.length) / (this.limits.maxRunning + this.limits.maxQueued);
  }

  private rejection(cause: 'overloaded' | 'expired'): AppError {
    rejected.inc({ service: this.service, cause });
    if (cause === 'overloaded') this.load.reject();
    return cause === 'expired'
      ? expired()
      : unavailable(`${this.service} is overloaded; try again in a moment.`, 1, {
          dependency: 'admission',
          cause,
        });
  }
}

/** Whether an error says that a request was rejected before it was handled. */
export function wasNotStarted({ origin }: { origin?: ErrorOrigin | undefined }): boolean {
  return origin !== undefined && /(^|\/)admission$/.test(origin.dependency) && origin.dependency.split('/').length <= 2;
}

const admissions = new Map<ServiceName, Admission>();

/** The limits of this process for the requests that it handles as `service`. */
export function admissionOf(service: ServiceName): Admission {
  let admission = admissions.get(service);
  if (!admission) admissions.set(service, (admission = new Admission(service)));
  return admission;
}

export function configureAdmission(service: ServiceName, limits: Partial<AdmissionLimits>): void {
  admissions.set(service, new Admission(service, { ...defaults, ...limits }));
}
