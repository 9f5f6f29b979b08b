import type { OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gauge } from 'prom-client';
import { AppError, unavailable } from '@holdfast/platform';
import { endedAdmission } from './early-rejection.js';
import { contextOf } from './request-context.js';

export interface HeldLimits {
  max: number;
  maxPerCaller: number;
  maxPerOrganization: number;
  /** How many there are now. */
  gauge: Gauge;
  /** For errors: `You ${what} with 5 requests already`. */
  does: string;
  what: string;
}

/**
 * Responses of this gateway that last: each holds a connection and next to nothing else, so they do not count as
 * requests in progress, and have limits of their own.
 */
export class HeldResponses implements OnModuleDestroy {
  private readonly byCaller = new Map<string, number>();
  private readonly byOrganization = new Map<string, number>();
  private readonly stopping = new AbortController();
  private count = 0;

  constructor(private readonly limits: HeldLimits) {}

  /**
   * Counts the response until it is closed. @returns a signal that aborts then, and when the gateway stops
   * @throws rate_limited, unavailable when there are too many
   */
  open(request: FastifyRequest, reply: FastifyReply): AbortSignal {
    const { org, actor } = contextOf(request);
    const caller = `${org} ${actor.id}`;
    const ofCaller = this.byCaller.get(caller) ?? 0;
    const ofOrganization = this.byOrganization.get(org) ?? 0;
    const { max, maxPerCaller, maxPerOrganization, gauge, does, what } = this.limits;
    if (ofCaller >= maxPerCaller)
      throw new AppError(
        'rate_limited',
        `You ${does} with ${ofCaller} ${what} already. End one of them, or wait until it ends.`,
        { retryAfter: 10 },
      );
    if (ofOrganization >= maxPerOrganization)
      throw new AppError(
        'rate_limited',
        `The apps and people of your organization ${does} with ${ofOrganization} ${what} already. End one of them, ` +
          'or wait until it ends.',
        { retryAfter: 10 },
      );
    if (this.count >= max) throw unavailable(`This server has too many ${what}; another one answers.`, 1);
    change(this.byCaller, caller, 1);
    change(this.byOrganization, org, 1);
    gauge.set((this.count += 1));
    reply.raw.emit(endedAdmission);
    const closed = new AbortController();
    reply.raw.once('close', () => {
      closed.abort();
      gauge.set((this.count -= 1));
      change(this.byCaller, caller, -1);
      change(this.byOrganization, org, -1);
    });
    return AbortSignal.any([closed.signal, this.stopping.signal]);
  }

  /** The first step of a shutdown, before the server waits for its connections. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }
}

function change(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
