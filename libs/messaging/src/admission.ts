import { Counter } from 'prom-client';
import type { ErrorOrigin, ServiceName } from '@holdfast/contracts';
import { AppError, expired, unavailable } from '@holdfast/platform';

export interface AdmissionLimits {
  /** Requests that are worked on at once. */
  maxRunning: number;
  /** Requests that wait for their turn. */
  maxQueued: number;
  /** Longest wait. Who waits longer is refused when their turn comes, so that what is accepted stays fast. */
  maxWaitMs: number;
}

interface Waiting {
  enqueuedAt: number;
  expiresAt: number | undefined;
  begin: () => void;
  refuse: (error: AppError) => void;
}

const shed = new Counter({
  name: 'holdfast_admission_rejected_total',
  help: 'Requests that were not begun: too many at once, or expired while they waited',
  labelNames: ['service', 'cause'],
});

const defaults: AdmissionLimits = { maxRunning: 256, maxQueued: 256, maxWaitMs: 250 };

/**
 * Lets so many requests of a service be worked on at once and so many wait, and refuses the others at once: beyond what
 * a service can do, each accepted request only makes all of them late, until every answer comes after its caller has
 * gone.
 */
export class Admission {
  private running = 0;
  private readonly queue: Waiting[] = [];

  constructor(
    private readonly service: string,
    private readonly limits: AdmissionLimits = defaults,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws unavailable, with nothing done, when there is no room or nobody waits for the answer any more */
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
    if (expiresAt !== undefined && expiresAt <= now) throw this.refusal('expired');
    if (this.running < this.limits.maxRunning) {
      this.running += 1;
      return;
    }
    if (this.queue.length >= this.limits.maxQueued) throw this.refusal('overloaded');
    await new Promise<void>((begin, refuse) => this.queue.push({ enqueuedAt: now, expiresAt, begin, refuse }));
  }

  /** Hands the place on to the first who is still in time. */
  private leave(): void {
    const now = this.now();
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if (next.expiresAt !== undefined && next.expiresAt <= now) next.refuse(this.refusal('expired'));
      else if (now - next.enqueuedAt > this.limits.maxWaitMs) next.refuse(this.refusal('overloaded'));
      else return next.begin();
    }
    this.running -= 1;
  }

  private refusal(cause: 'overloaded' | 'expired'): AppError {
    shed.inc({ service: this.service, cause });
    return cause === 'expired'
      ? expired()
      : unavailable(`${this.service} has more to do than it can; try again in a moment.`, 1, {
          dependency: 'admission',
          cause,
        });
  }
}

/** Whether an error says that a request was refused before anything was done for it. */
export function wasNotStarted({ origin }: { origin?: ErrorOrigin | undefined }): boolean {
  return origin !== undefined && /(^|\/)admission$/.test(origin.dependency) && origin.dependency.split('/').length <= 2;
}

const admissions = new Map<ServiceName, Admission>();

/** The one of this process for what it answers as `service`. */
export function admissionOf(service: ServiceName): Admission {
  let admission = admissions.get(service);
  if (!admission) admissions.set(service, (admission = new Admission(service)));
  return admission;
}

export function configureAdmission(service: ServiceName, limits: Partial<AdmissionLimits>): void {
  admissions.set(service, new Admission(service, { ...defaults, ...limits }));
}
