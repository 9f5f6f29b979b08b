import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { listOwnStreams, shortId, streamsSchema, type SsfStream } from '@holdfast/contracts';
import { endpoint, streamExample, streamTarget, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { recordWithTargets } from '../edge/recording.js';
import { contextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';

const listStreamsEndpoint = endpoint({
  id: 'listSsfStreams',
  method: 'GET',
  path: '/o/{shortId}/ssf/streams',
  tag: 'Shared Signals',
  summary: 'Get streams',
  description:
    'SSF 1.0 §8.1.1.2. All streams of the receiver as a list; with `stream_id` one stream, which is no list.',
  operation: 'ssf.read',
  action: 'ssf_stream.read',
  params: z.strictObject({ shortId }),
  query: z.strictObject({ stream_id: z.uuid().optional().describe('The stream') }),
  responses: {
    200: {
      description: 'The streams, or the stream',
      schema: z.union([streamsSchema, streamsSchema.element]).meta({ id: 'SsfStreamOrStreams' }),
    },
  },
  errors: ['unknown_stream'],
  examples: { response: [streamExample] },
});

/** A controller of its own: SSF gives one address to two forms of response. */
@Controller()
export class StreamsController {
  constructor(private readonly bus: Bus) {}

  @Route(listStreamsEndpoint)
  async list(
    @Input() { query: { stream_id: id } }: InputOf<typeof listStreamsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<SsfStream | SsfStream[]> {
    recordWithTargets(request, id === undefined ? [] : [streamTarget(id)]);
    const { items } = await this.bus.request(
      listOwnStreams,
      { ...(id !== undefined && { stream_id: id }) },
      contextOf(request),
    );
    return id === undefined ? items : items[0]!;
  }
}
