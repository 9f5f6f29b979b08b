import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { pollResultSchema, pollSchema, pollStream, shortId, type ReplyOf } from '@holdfast/contracts';
import { endpoint, streamExample, streamTarget, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { ContinuedAccess } from '../access/continued-access.js';
import { FollowRecords } from '../admin/audit/follow-records.js';
import { pause } from '../edge/pause.js';
import { recordWithTargets } from '../edge/recording.js';
import { contextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import { HeldPolls } from './held-polls.js';
import { StreamGrowth } from './stream-growth.js';

const operation = 'ssf.read';
/** Below the time after which proxies close a connection without a response. */
const maxWaitMs = 20_000;
/** Hints have no guarantee, so a poll that waits also looks from time to time. */
const maxLookMs = 5000;
/** Between two looks, so that a busy organization does not make each poll read without a pause. */
const minLookMs = 50;

const pollEndpoint = endpoint({
  id: 'pollSsfStream',
  method: 'POST',
  path: '/o/{shortId}/ssf/streams/{id}/poll',
  tag: 'Shared Signals',
  summary: 'Poll a stream',
  description:
    'RFC 8936. Returns the tokens that are not acknowledged yet, oldest first; without any it waits for up to 20 ' +
    'seconds unless `returnImmediately`. Polling is recorded once an hour. See docs/shared-signals.md.',
  operation,
  action: 'ssf_stream.poll',
  repeatIsSafe: 'a token that was acknowledged stays so, and one that was not comes again (RFC 8936 §2.4)',
  invalidBody: 400,
  params: z.strictObject({
    shortId,
    id: z
      .uuid()
      .describe('The stream')
      .meta({ examples: [streamExample.stream_id] }),
  }),
  body: pollSchema,
  responses: { 200: { description: 'The tokens', schema: pollResultSchema } },
  errors: ['unknown_stream', 'invalid_state'],
  examples: {
    body: {
      first: { summary: 'What there is', value: { returnImmediately: true } },
      next: { summary: 'Acknowledge, and wait', value: { ack: [`${streamExample.stream_id}.0`], maxEvents: 50 } },
    },
    response: {
      sets: { [`${streamExample.stream_id}.1`]: 'eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9.e30.c2ln' },
      moreAvailable: false,
    },
  },
});

/** A controller of its own, because a poll that waits takes several requests. */
@Controller()
export class PollController {
  constructor(
    private readonly bus: Bus,
    private readonly growth: StreamGrowth,
    private readonly polls: HeldPolls,
    private readonly records: FollowRecords,
    private readonly access: ContinuedAccess,
  ) {}

  @Route(pollEndpoint)
  async poll(
    @Input() { params: { id }, body }: InputOf<typeof pollEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReplyOf<typeof pollStream>> {
    recordWithTargets(request, [streamTarget(id)]);
    const context = contextOf(request);
    const isHeld = !body.returnImmediately && body.maxEvents !== 0;
    const follower = this.growth.follow(context.org);
    try {
      let found = await this.bus.request(pollStream, { stream_id: id, poll: body }, context);
      if (isHeld && isEmpty(found)) {
        found = await this.wait(id, body.maxEvents, request, this.polls.open(request, reply), follower);
        // The receiver may have lost its right meanwhile.
        await this.access.require(request, operation);
      }
      await this.records.record(request, 'ssf_stream.poll', { id }, [streamTarget(id)]);
      return found;
    } finally {
      follower.leave();
    }
  }

  private async wait(
    id: string,
    maxEvents: number | undefined,
    request: FastifyRequest,
    signal: AbortSignal,
    follower: ReturnType<StreamGrowth['follow']>,
  ): Promise<ReplyOf<typeof pollStream>> {
    const until = performance.now() + maxWaitMs;
    const poll = { returnImmediately: true, ...(maxEvents !== undefined && { maxEvents }) };
    for (;;) {
      const leftMs = until - performance.now();
      if (leftMs <= 0 || signal.aborted) return { sets: {}, moreAvailable: false };
      await pause(minLookMs, signal);
      await follower.next(Math.min(leftMs, maxLookMs), signal);
      const found = await this.bus.request(pollStream, { stream_id: id, poll }, contextOf(request));
      if (!isEmpty(found)) return found;
    }
  }
}

function isEmpty({ sets }: ReplyOf<typeof pollStream>): boolean {
  return Object.keys(sets).length === 0;
}
