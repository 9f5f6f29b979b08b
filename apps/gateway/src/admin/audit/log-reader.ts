import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { followAuditEvents, type AuditFilter, type ReplyOf } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { minReadIntervalMs, pause } from '../../edge/pause.js';
import { contextOf } from '../../edge/request-context.js';
import { LogGrowth, type Follower } from './log-growth.js';

export type LogPage = ReplyOf<typeof followAuditEvents>;

interface Reading {
  filter: AuditFilter;
  limit: number;
  /** Only entries with a larger `seq`; absent for the end of the log. */
  after?: number;
  /** Whether customers and people have their ids and personal values, or their pseudonyms only. */
  named: boolean;
}

/** Reads on in a log, and waits for entries that are not there yet. */
@Injectable()
export class LogReader {
  /** Pages that are being read for streams, by organization, filter and place. */
  private readonly shared = new Map<string, Promise<LogPage>>();

  constructor(
    private readonly bus: Bus,
    private readonly growth: LogGrowth,
  ) {}

  page(request: FastifyRequest, reading: Reading): Promise<LogPage> {
    return this.bus.request(followAuditEvents, reading, contextOf(request));
  }

  /**
   * A page for streams, with pseudonyms only. A hint wakes all readers at the end of a log at once: they share a
   * read, or twenty of them would delay the next append. A page that another one has begun to read may lack the newest
   * entry, which its `after` tells; a stream then reads again.
   */
  sharedPage(request: FastifyRequest, reading: Omit<Reading, 'named'>): Promise<LogPage> {
    // The end of the log is that of the moment when a stream begins.
    if (reading.after === undefined) return this.page(request, { ...reading, named: false });
    const key = JSON.stringify([contextOf(request).org, reading]);
    let page = this.shared.get(key);
    if (!page) {
      page = this.page(request, { ...reading, named: false }).finally(() => this.shared.delete(key));
      this.shared.set(key, page);
    }
    return page;
  }

  follow(request: FastifyRequest): Follower {
    return this.growth.follow(contextOf(request).org);
  }

  /** The next page that is not empty, or an empty one after `waitMs`. */
  async nextPage(request: FastifyRequest, reading: Reading, waitMs: number, signal: AbortSignal): Promise<LogPage> {
    const until = performance.now() + waitMs;
    const follower = this.follow(request);
    try {
      for (let page = await this.page(request, reading); ;) {
        const leftMs = until - performance.now();
        if (page.items.length > 0 || leftMs <= 0 || signal.aborted) return page;
        await pause(minReadIntervalMs, signal);
        await follower.waitBeyond(page.after, leftMs, signal);
        page = await this.page(request, { ...reading, after: page.after });
      }
    } finally {
      follower.leave();
    }
  }
}
