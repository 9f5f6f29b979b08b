import { Readable } from 'node:stream';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { auditFilterSchema, shortId } from '@holdfast/contracts';
import { endpoint, wholeNumber, type InputOf } from '@holdfast/contracts/http';
import { ContinuedAccess } from '../../access/continued-access.js';
import { Route } from '../../endpoints/route.js';
import { Input, invalidRequest } from '../../requests/input.js';
import { AuditStreams } from './audit-streams.js';
import { eventStream } from './event-stream.js';
import { FollowRecords } from './follow-records.js';
import { LogReader } from './log-reader.js';

/** Entries that are read at once. A reader has no more of them in the memory of the gateway. */
const pageSize = 200;
const operation = 'audit:read';
const action = 'audit.follow';

const streamAuditEventsEndpoint = endpoint({
  id: 'streamAuditEvents',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/stream',
  tag: 'Admin API: audit',
  summary: 'Follow the audit log',
  description:
    'The audit log as Server-Sent Events, oldest first, without a gap: first the events after the given place, then ' +
    'each event soon after it is appended. Each has `event: audit`, its `seq` as `id`, and an audit event as `data`. ' +
    'Customers and people have their pseudonyms in it, never ids or personal values, so the record of an erasure ' +
    'names them as every event before it did. A comment comes every 15 seconds. The stream ends with `event: end`, ' +
    'whose data is the reason (`code`, `detail`) and the place to continue (`after`): at the latest when the access ' +
    'token expires. See docs/audit-stream.md.',
  operation,
  action,
  params: z.strictObject({ shortId }),
  query: auditFilterSchema.omit({ from: true, to: true }).extend({
    after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe(
        'Only events after this `seq`; 0 is the beginning. By default those that are appended from now on. The ' +
          'header Last-Event-ID, which clients send when they connect again, takes precedence',
      ),
  }),
  responses: { 200: { description: 'A stream of events', media: ['text/event-stream'] } },
});

@Controller()
export class AuditStreamController {
  constructor(
    private readonly log: LogReader,
    private readonly streams: AuditStreams,
    private readonly records: FollowRecords,
    private readonly access: ContinuedAccess,
  ) {}

  @Route(streamAuditEventsEndpoint)
  async stream(
    @Input() { query }: InputOf<typeof streamAuditEventsEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const { after: given, ...filter } = query;
    const after = lastEventIdOf(request) ?? given;
    const signal = this.streams.open(request, reply);
    const follower = this.log.follow(request);
    signal.addEventListener('abort', () => follower.leave());
    const require = async (): Promise<void> => {
      await this.access.require(request, operation);
      await this.records.record(request, action, filter);
    };
    await require();
    request.requestContext.streamedAtMs = performance.now();
    void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    return Readable.from(
      eventStream({
        after,
        read: (from) =>
          this.log.sharedPage(request, { filter, limit: pageSize, ...(from !== undefined && { after: from }) }),
        follower,
        require,
        signal,
        disconnect: () => reply.raw.destroy(),
      }),
    );
  }
}

/** WHATWG HTML §9.2.4: the id of the last event that the client received. */
function lastEventIdOf({ headers }: FastifyRequest): number | undefined {
  const given = headers['last-event-id'];
  if (given === undefined || given === '') return undefined;
  const seq = wholeNumber(0, Number.MAX_SAFE_INTEGER).safeParse(given);
  if (!seq.success)
    throw invalidRequest([{ header: 'Last-Event-ID', detail: 'must be the id of an event of this stream' }]);
  return seq.data;
}
