import { Gauge } from 'prom-client';
import {
  addressedSubject,
  rateLimitMessageSchema,
  rateLimitSubject,
  tokenGrantsSchema,
  type RateLimitMessage,
  type ServiceName,
  type TokenGrant,
} from '@holdfast/contracts';
import { publishHint, subscribeValidated, type Bus } from '@holdfast/messaging';
import { Interval, type Readiness, type Shutdown } from '@holdfast/service';
import { SharedRateLimits } from './shared-rate-limits.js';

const replicas = new Gauge({
  name: 'holdfast_rate_limit_replicas',
  help: 'Among how many replicas of this service this one divides the quotas of rate limits, itself included',
});

/** A replica without others only says that it runs, so seldom. One that starts has its answer at once. */
const intervalsOfOne = 4;

/** Exchanges the tokens of this replica's rate limits with the other replicas of the service, four times a second. */
export class RateLimitExchange {
  readonly limits = new SharedRateLimits();
  private readonly subject: string;
  private intervals = 0;

  constructor(
    private readonly bus: Bus,
    service: ServiceName,
    readiness: Readiness,
    shutdown: Shutdown,
  ) {
    this.subject = rateLimitSubject(service);
    subscribeValidated(bus.connection, this.subject, rateLimitMessageSchema, (message) => this.handle(message));
    const ownSubject = addressedSubject(this.subject, this.limits.replica);
    subscribeValidated(bus.connection, ownSubject, tokenGrantsSchema, (grants) => this.limits.receiveGrants(grants));
    readiness.addCheck(() => this.limits.ready);
    readiness.addProblems(() =>
      this.limits.ready
        ? []
        : [`no own message on ${this.subject} has come back yet; nats.conf must allow it (holdfast bus users)`],
    );
    shutdown.before(() => this.publish(this.subject, this.limits.leavingMessage()));
  }

  @Interval({
    name: 'rate_limits',
    intervalMs: 250,
    retryAfterMs: 250,
    runAtStart: true,
    failure: 'Failed to exchange tokens of rate limits; this replica stays within its share of each quota',
  })
  async exchange(): Promise<void> {
    this.intervals += 1;
    if (this.limits.isAlone && this.intervals % intervalsOfOne !== 0) return;
    this.publish(this.subject, this.limits.nextMessage());
    replicas.set(this.limits.replicaCount);
  }

  /** Responds at once, so that the requester does not request the same tokens again meanwhile. */
  private handle(message: RateLimitMessage): void {
    const wasAlone = this.limits.isAlone;
    const grants = this.limits.receive(message);
    if (wasAlone && !this.limits.isAlone) this.publish(this.subject, this.limits.nextMessage());
    if (grants.length > 0) this.publish(addressedSubject(this.subject, message.replica), grants);
  }

  private publish(subject: string, message: RateLimitMessage | TokenGrant[]): void {
    publishHint(this.bus.connection, subject, message);
  }
}
