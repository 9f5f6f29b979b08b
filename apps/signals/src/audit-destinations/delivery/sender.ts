import { Inject, Injectable, Logger } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import { followAuditEvents, type AuditEvent } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { CLOCK, LogBudget, secondsSince, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { SignalsConfig } from '../../config.js';
import { makerOfRow } from '../../makers/maker-columns.js';
import { Outbounds } from '../../sending/outbounds.js';
import { Credentials } from '../credentials.js';
import { DestinationMakers, operationOfMakers } from '../destination-makers.js';
import { matches } from '../filter.js';
import { entryOf } from '../format.js';
import { kindOf } from '../kinds/index.js';
import { DeliveryError, deliveryErrorOf, type Delivered, type Entry } from '../kinds/kind.js';
import { attempts, sentEntries } from '../metrics.js';
import { Deliveries, type Claim } from './deliveries.js';
import { firstBatch } from './first-batch.js';

/** Time for one attempt. A receiver that hangs holds its slot for no longer. */
const attemptTimeoutMs = 10_000;
/** A destination that is far behind gives its slot to the others after this time. */
const turnMs = 5000;
/** How long a delivery waits when audit cannot be read. That is no fault of the destination. */
const auditPauseMs = 2000;
const pageLimit = 200;
/** Stored only if the lease has not ended: then nobody else has the delivery. */
const leaseEnds = new DeliveryError('the receiver needed too long.');

/** Sends what a destination has not confirmed yet of one log, in order. */
@Injectable()
export class Sender {
  private readonly logger = new Logger('audit destinations');
  private readonly failureLines = new LogBudget(1);

  constructor(
    private readonly bus: Bus,
    private readonly deliveries: Deliveries,
    private readonly credentials: Credentials,
    private readonly outbounds: Outbounds,
    private readonly rights: MakerRights,
    private readonly makers: DestinationMakers,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {}

  /** Never throws. When the outcome cannot be stored, the entries are sent again after the lease. */
  async turn(claim: Claim, stopping: () => boolean): Promise<void> {
    const endsAt = performance.now() + turnMs;
    try {
      while (performance.now() < endsAt && !stopping()) if (!(await this.sendPage(claim, stopping))) return;
      await this.deliveries.release(claim, 0);
    } catch (error) {
      if (this.failureLines.take())
        this.logger.warn(`A turn of the destination ${claim.id} failed, and is repeated later: ${String(error)}`);
    }
  }

  /** False when the turn is over. */
  private async sendPage(claim: Claim, stopping: () => boolean): Promise<boolean> {
    const may = await this.mayExport(claim);
    if (may === false) {
      await this.makers.pauseOne(claim.id, claim.version);
      await this.deliveries.release(claim);
      return false;
    }
    const page = may && (await this.read(claim));
    if (!page) {
      await this.deliveries.release(claim, auditPauseMs);
      return false;
    }
    const events = page.items.filter((event) => matches(claim.filter, event));
    for (let left = events.map((event) => entryOf(event, claim.org, claim.format)); left.length > 0;) {
      const rest = stopping() ? await this.end(claim) : await this.sendFirst(claim, left, stopping);
      if (!rest) return false;
      left = rest;
    }
    // A gap at the end, such as of dropped entries, or of those that the filter leaves out: nothing to send up to it.
    if (page.after > claim.after) {
      const nothing = { sent: 0, rejected: 0, rejection: undefined, occurredAt: this.clock.now() };
      if (!(await this.deliveries.advance(claim, { after: page.after, ...nothing }))) {
        await this.deliveries.release(claim);
        return false;
      }
    }
    if (page.hasMore) return true;
    await this.deliveries.release(claim);
    return false;
  }

  /**
   * Whether the maker of the destination may still export the log; undefined when that is unknown: then nothing is sent
   * (product §4). The event of the lost right may not have arrived yet.
   */
  private mayExport(claim: Claim): Promise<boolean | undefined> {
    return this.rights.has(claim.owner, makerOfRow(claim), operationOfMakers).catch(() => undefined);
  }

  private async read({
    org,
    after,
  }: Claim): Promise<{ items: AuditEvent[]; after: number; hasMore: boolean } | undefined> {
    const context = { ...systemContext('signals'), org };
    const request = { filter: {}, limit: pageLimit, after, named: false };
    return this.bus.request(followAuditEvents, request, context).catch(() => undefined);
  }

  /** Sends the first entries. @returns those that are left; undefined when the turn is over */
  private async sendFirst(claim: Claim, entries: Entry[], stopping: () => boolean): Promise<Entry[] | undefined> {
    const { delivered, size } = await this.attempt(claim, entries);
    const { confirmed = size, failure, rejected } = delivered;
    if (confirmed > 0 && !(await this.store(claim, entries[confirmed - 1]!, confirmed, rejected)))
      return this.end(claim);
    if (!failure) return entries.slice(confirmed);
    // The process has ended the attempt, not the receiver.
    if (stopping()) return this.end(claim);
    await this.deliveries.fail(claim, failure.message, failure.retryAfterMs);
    if (this.failureLines.take())
      this.logger.warn(
        `Destination ${claim.id} (${claim.kind}) of ${claim.owner} did not get entries of ${claim.org} after ` +
          `${claim.after}: ${failure.message} They stay in the log and are sent again.`,
      );
    return this.end(claim);
  }

  /** Stores what the receiver has confirmed. False when the turn is over. */
  private async store(
    claim: Claim,
    { event }: Entry,
    confirmed: number,
    { count: rejected, reason: rejection }: NonNullable<Delivered['rejected']> = { count: 0, reason: '' },
  ): Promise<boolean> {
    const sent = confirmed - rejected;
    sentEntries.inc({ kind: claim.kind, outcome: 'sent' }, sent);
    if (rejected > 0) sentEntries.inc({ kind: claim.kind, outcome: 'rejected' }, rejected);
    const progress = { after: event.seq, occurredAt: new Date(event.occurredAt), sent, rejected };
    return this.deliveries.advance(claim, { ...progress, rejection: rejection === '' ? undefined : rejection });
  }

  private async end(claim: Claim): Promise<undefined> {
    await this.deliveries.release(claim);
    return undefined;
  }

  /** One request; fewer entries when the receiver says that it was too large. */
  private async attempt(claim: Claim, entries: Entry[]): Promise<{ delivered: Delivered; size: number }> {
    const kind = kindOf(claim.kind);
    let batch = firstBatch(entries, kind.maxBytes);
    for (;;) {
      const startedAtMs = performance.now();
      const size = batch.length;
      if (!this.deliveries.holds(claim, attemptTimeoutMs))
        return { delivered: { confirmed: 0, failure: leaseEnds }, size };
      try {
        const delivered = await kind.send({ org: claim.org, entries: batch }, this.targetOf(claim));
        attempts.observe(
          { kind: claim.kind, outcome: delivered.failure ? 'failed' : 'succeeded' },
          secondsSince(startedAtMs),
        );
        return { delivered, size };
      } catch (error) {
        attempts.observe({ kind: claim.kind, outcome: 'failed' }, secondsSince(startedAtMs));
        const failure = deliveryErrorOf(error, this.clock.now());
        if (!failure.tooLarge || size === 1) return { delivered: { confirmed: 0, failure }, size };
        batch = batch.slice(0, Math.ceil(size / 2)) as typeof batch;
      }
    }
  }

  private targetOf(claim: Claim) {
    return {
      id: claim.id,
      settings: claim.settings,
      credentials: this.credentialsOf(claim),
      outbound: this.outbounds.of({ org: claim.owner }),
      baseUrl: this.config.BASE_URL,
      now: this.clock.now(),
      timeoutMs: attemptTimeoutMs,
    };
  }

  private credentialsOf({ id, credentials }: Claim): unknown {
    try {
      return this.credentials.unsealed(id, credentials);
    } catch {
      throw new DeliveryError('its credentials were encrypted with another key: replace them.');
    }
  }
}
