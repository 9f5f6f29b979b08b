import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AuditWriter } from '@holdfast/audit-client';
import type { Action, AuditTarget } from '@holdfast/contracts';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';
import { isRecordedBy } from '../../edge/recording.js';
import { contextOf } from '../../edge/request-context.js';

/** If each poll were recorded, each would find the record of the one before it, and the log would never rest. */
const recordIntervalMs = 3_600_000;

/** Records once an hour that a caller follows the log or downloads a file, however many requests that takes. */
@Injectable()
export class FollowRecords {
  /** Who was recorded within the hour. Each gateway has its own, and so makes a record of its own. */
  private readonly recorded = new LRUCache<string, true>({ max: 10_000, ttl: recordIntervalMs });

  constructor(
    private readonly audit: AuditWriter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** To be called before data leave. @throws unavailable when there is no record: nothing may be returned then */
  async record(request: FastifyRequest, action: Action, filter: object, targets: AuditTarget[] = []): Promise<void> {
    const context = contextOf(request);
    const key = JSON.stringify([context.org, context.actor.id, action, filter]);
    if (!this.recorded.has(key)) {
      // A stream is recorded each hour, so the id of its request is not enough.
      const outcome = { result: 'success', status: 200 } as const;
      const record = auditRecord({ ...context, auditId: newId() }, this.clock.now(), { action, targets, outcome });
      await this.audit.append(context.org, record);
      this.recorded.set(key, true);
    }
    isRecordedBy(request, 'stream');
  }
}
