import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Gauge } from 'prom-client';
import { AppError, unavailable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { endedAdmission } from '../../edge/early-rejection.js';
import { contextOf } from '../../edge/request-context.js';

const openStreams = new Gauge({
  name: 'holdfast_audit_streams',
  help: 'Readers of audit logs: streams, requests that wait for entries, and downloads of exports',
});

/**
 * The readers of this gateway who follow a log or download a file. Each holds a connection and next to nothing else, so
 * they do not count as requests in progress, and have limits of their own.
 */
@Injectable()
export class AuditStreams implements OnModuleDestroy {
  private readonly byCaller = new Map<string, number>();
  private readonly byOrganization = new Map<string, number>();
  private readonly stopping = new AbortController();
  private count = 0;

  constructor(
    @Inject(CONFIG)
    private readonly config: Pick<
      GatewayConfig,
      'AUDIT_STREAMS_MAX' | 'AUDIT_STREAMS_MAX_PER_CALLER' | 'AUDIT_STREAMS_MAX_PER_ORGANIZATION'
    >,
  ) {}

  /**
   * Counts the response until it is closed. @returns a signal that aborts then, and when the gateway stops
   * @throws rate_limited, unavailable when there are too many
   */
  open(request: FastifyRequest, reply: FastifyReply): AbortSignal {
    const { org, actor } = contextOf(request);
    const caller = `${org} ${actor.id}`;
    const ofCaller = this.byCaller.get(caller) ?? 0;
    const ofOrganization = this.byOrganization.get(org) ?? 0;
    const {
      AUDIT_STREAMS_MAX: max,
      AUDIT_STREAMS_MAX_PER_CALLER: maxPerCaller,
      AUDIT_STREAMS_MAX_PER_ORGANIZATION: maxPerOrganization,
    } = this.config;
    if (ofCaller >= maxPerCaller)
      throw new AppError(
        'rate_limited',
        `You read the audit log with ${ofCaller} streams, waiting requests and downloads already. End one of them, ` +
          'or wait until it ends.',
        { retryAfter: 10 },
      );
    if (ofOrganization >= maxPerOrganization)
      throw new AppError(
        'rate_limited',
        `The apps and people of your organization read the audit log with ${ofOrganization} streams, waiting ` +
          'requests and downloads already. End one of them, or wait until it ends.',
        { retryAfter: 10 },
      );
    if (this.count >= max) throw unavailable('This server has too many readers of audit logs; another one answers.', 1);
    change(this.byCaller, caller, 1);
    change(this.byOrganization, org, 1);
    openStreams.set((this.count += 1));
    reply.raw.emit(endedAdmission);
    const closed = new AbortController();
    reply.raw.once('close', () => {
      closed.abort();
      openStreams.set((this.count -= 1));
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
