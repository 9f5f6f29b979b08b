import { Controller, Inject, Injectable, Req, Res, type Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '@holdfast/contracts';
import type { Caller, Forwarded, ForwardedInput, TextResponse } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { prefersText } from '../edge/accept.js';
import { isPerson } from '../edge/caller.js';
import { mediaTypes } from '../edge/media-types.js';
import { isRecordedBy, recordWithTargets } from '../edge/recording.js';
import { contextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input, invalidRequest } from './input.js';
import { markReplayed, Resources } from './resources.js';

/** Members of the reply of a command that say what the audit record has to be. */
interface CommandReply {
  /** The response is that of an earlier request with the same Idempotency-Key. */
  replayed?: { subject?: string } | undefined;
  /** False or 0 when everything was so already. */
  changed?: boolean | number;
}

/** Serves the endpoints that are one request to a service each (libs/contracts/src/http/forwarded.ts). */
@Injectable()
export class Forwarder {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async forward(
    forwarded: Forwarded,
    input: ForwardedInput,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const { contract, endpoint, cursor } = forwarded;
    const context = contextOf(request);
    const caller = callerOf(request, context);
    // Before the request, so that the record of a refused one has them too.
    recordWithTargets(request, forwarded.targets(input, undefined, caller));
    const message = forwarded.request(input, caller, this.clock.now());
    const issues = forwarded.check?.(message) ?? [];
    if (issues.length > 0) throw invalidRequest(issues);
    if (cursor) return this.list(forwarded, cursor, message, input, request);
    const found = await this.bus.request(contract, message, context);
    const { replayed, ...rest } = found as CommandReply;
    // A change is recorded in its own transaction. What has changed nothing is recorded here.
    const isChange = contract.kind === 'command' && !replayed && rest.changed !== false && rest.changed !== 0;
    if (isChange) isRecordedBy(request, 'handler');
    else {
      const targets = forwarded.targets(input, { reply: rest, dataSubject: replayed?.subject }, caller);
      recordWithTargets(request, targets, { replayed: replayed !== undefined });
    }
    if (replayed) markReplayed(reply);
    const body = forwarded.body(rest);
    if (forwarded.location) void reply.header('location', forwarded.location(input, rest));
    if (endpoint.versioned && body) void reply.header('etag', `"${(body as { version: number }).version}"`);
    const { text } = forwarded;
    return text && isText(text, request, reply) ? text.of(rest) : body;
  }

  private list(
    { contract }: Forwarded,
    cursorSchema: NonNullable<Forwarded['cursor']>,
    message: Record<string, unknown>,
    input: ForwardedInput,
    request: FastifyRequest,
  ): Promise<unknown> {
    // Path parameters are a filter too: a page token of one group must not select members of another.
    const { shortId: _, ...scope } = input.params;
    const query = { ...(input.query as { limit: number; next_page_token?: string }), ...scope };
    return this.resources.list(request, query, cursorSchema, async ({ limit, cursor: after }, context) => {
      const page = await this.bus.request(
        contract,
        { ...message, limit, ...(after !== undefined && { after }) },
        context,
      );
      return page as { items: unknown[]; next?: unknown };
    });
  }
}

/** Sets the headers of an endpoint that also responds with text. @returns whether this response is text */
function isText({ only }: TextResponse, { headers }: FastifyRequest, reply: FastifyReply): boolean {
  if (!only) {
    void reply.header('vary', 'Accept');
    if (!prefersText(headers.accept)) return false;
  }
  void reply.type(mediaTypes.text);
  return true;
}

function callerOf({ requestContext }: FastifyRequest, { actor }: RequestContext): Caller {
  const claims = requestContext.claims!;
  return {
    type: isPerson(claims) ? 'person' : 'app',
    id: actor.id,
    operations: claims.scope.split(' '),
    signedInRecently: !requestContext.needsStepUp,
  };
}

/** A controller with one method for each of the endpoints, as if each were written with its decorators. */
export function forwardingController(endpoints: readonly Forwarded[]): Type {
  @Controller()
  class ForwardingController {
    constructor(@Inject(Forwarder) readonly forwarder: Forwarder) {}
  }
  const { prototype } = ForwardingController;
  for (const forwarded of endpoints) {
    const { id } = forwarded.endpoint;
    const value = function (this: ForwardingController, ...[input, request, reply]: HandlerArguments) {
      return this.forwarder.forward(forwarded, input, request, reply);
    };
    Object.defineProperty(prototype, id, { value });
    Input()(prototype, id, 0);
    Req()(prototype, id, 1);
    Res({ passthrough: true })(prototype, id, 2);
    Route(forwarded.endpoint)(prototype, id, Object.getOwnPropertyDescriptor(prototype, id)!);
  }
  return ForwardingController;
}
type HandlerArguments = [input: ForwardedInput, request: FastifyRequest, reply: FastifyReply];
