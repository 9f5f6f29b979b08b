import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { AuditTarget, Contract, ReplyOf, RequestContext } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { keysOf, type Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { isRecordedBy, recordWithTargets } from '../edge/recording.js';
import { contextOf } from '../edge/request-context.js';
import { openPageToken, sealPageToken } from './page-token.js';

/** The reply of a service with one page. `next` is the cursor after its last item. */
interface Page<Item, Cursor> {
  items: Item[];
  next?: Cursor | undefined;
  /** Set when the service returns a cursor even after the last item. */
  hasMore?: boolean;
}

/** Query of every list: all parameters but these two are its filter. */
interface ListQuery {
  limit: number;
  next_page_token?: string | undefined;
}

/** Reply of a command that takes an Idempotency-Key (`idempotentCommand`). */
interface Repeatable {
  replayed?: { subject?: string | undefined } | undefined;
}

/** What endpoints of the Admin API have in common: a page of a list, and a change that may be repeated. */
@Injectable()
export class Resources {
  private readonly keys: Keys;

  constructor(
    private readonly bus: Bus,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'PAGE_TOKEN_KEY' | 'PAGE_TOKEN_KEY_PREVIOUS'>,
  ) {
    this.keys = keysOf(config.PAGE_TOKEN_KEY, config.PAGE_TOKEN_KEY_PREVIOUS);
  }

  /** Lists one page. The page token binds the cursor to the app, the route and the filter (specification §8). */
  async list<Query extends ListQuery, Item, Cursor>(
    request: FastifyRequest,
    { limit, next_page_token: token, ...filter }: Query,
    cursorSchema: z.ZodType<Cursor>,
    load: (page: { limit: number; cursor: Cursor | undefined }, context: RequestContext) => Promise<Page<Item, Cursor>>,
  ): Promise<{ items: Item[]; hasMore: boolean; nextPageToken?: string }> {
    const context = contextOf(request);
    const scope = { org: context.org, app: context.actor.id, route: context.request.route, filter };
    const cursor = token === undefined ? undefined : openPageToken(this.keys, token, scope, cursorSchema);
    const { items, next, hasMore = next !== undefined } = await load({ limit, cursor }, context);
    return {
      items,
      hasMore,
      ...(next !== undefined && { nextPageToken: sealPageToken(this.keys, next, scope) }),
    };
  }

  /**
   * Sends a command that may be repeated with the same Idempotency-Key. A change is recorded in its own transaction. A
   * repeat changes nothing and gets an audit record of its own, with these `targets` of the customer concerned.
   */
  async act<C extends Contract>(
    request: FastifyRequest,
    reply: FastifyReply,
    contract: C,
    command: z.input<C['request']>,
    targets: (dataSubject: string) => AuditTarget[],
  ): Promise<Omit<ReplyOf<C> & Repeatable, 'replayed'>> {
    const { replayed, ...rest } = (await this.bus.request(contract, command, contextOf(request))) as ReplyOf<C> &
      Repeatable;
    if (!replayed) isRecordedBy(request, 'handler');
    else {
      markReplayed(reply);
      // An erased customer is no target: the repeat of an erasure names nobody.
      recordWithTargets(request, replayed.subject === undefined ? [] : targets(replayed.subject), { replayed: true });
    }
    return rest;
  }
}

/** The Idempotency-Key of an input, as commands take it. */
export function keyOf({ idempotencyKey }: { idempotencyKey?: string }): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}

/** Marks the response as that of an earlier request with the same Idempotency-Key. */
export function markReplayed(reply: FastifyReply): void {
  void reply.header('idempotency-replayed', 'true');
}
