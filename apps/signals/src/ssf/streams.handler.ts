import { Controller } from '@nestjs/common';
import {
  createStream,
  deleteStream,
  getStream,
  getTransmitterSettings,
  listStreams,
  listStreamTokens,
  pauseStream,
  resendStreamTokens,
  resumeStream,
  securityEvents,
  updateStream,
  updateTransmitterSettings,
  type ManagedStream,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type SecurityEventName,
} from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Idempotency, type KeyedRequest } from '@holdfast/outbox';
import { OperatorRequests } from '../webhooks/operator-requests.js';
import type { Keyed } from './stream-changes.js';
import { streamTarget, toManagedStream, unknownStream, type StreamRow } from './stream.js';
import { Streams } from './streams.js';
import { Tokens } from './tokens.js';
import { Transmitter } from './transmitter.js';

type Changed = { row: StreamRow; changed?: boolean };

/** The requests of administrators about the streams of all receivers. A command runs once for an Idempotency-Key. */
@Controller()
export class StreamsHandler {
  constructor(
    private readonly operator: OperatorRequests,
    private readonly streams: Streams,
    private readonly tokens: Tokens,
    private readonly transmitter: Transmitter,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(listStreams)
  async list(
    { receiver }: RequestOf<typeof listStreams>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listStreams>> {
    await this.operator.recordRead(context, 'ssf_stream.list');
    return { items: (await this.streams.shown(context.org, { receiver })).map(toManagedStream) };
  }

  @Handles(getStream)
  async get({ id }: RequestOf<typeof getStream>, context: RequestContext): Promise<ReplyOf<typeof getStream>> {
    const found = await this.shown(context.org, id);
    await this.operator.recordRead(context, 'ssf_stream.read', [streamTarget(id)]);
    return found;
  }

  @Handles(createStream)
  create(request: RequestOf<typeof createStream>, context: RequestContext): Promise<ReplyOf<typeof createStream>> {
    const { events, ...stream } = request.stream;
    return this.idempotency.once(createStream, request, context, async (keyed) => {
      const { row } = await this.streams.create({ ...stream, events: urisOf(events) }, context, this.keyed(keyed));
      return { stream: await this.shown(row.org, row.id) };
    });
  }

  @Handles(updateStream)
  update(request: RequestOf<typeof updateStream>, context: RequestContext): Promise<ReplyOf<typeof updateStream>> {
    const { id, changes, ifVersions } = request;
    const { events, ...change } = changes;
    const given = { ...change, events: events === null ? null : urisOf(events) };
    return this.idempotency.once(updateStream, request, context, async (keyed) => {
      const { changed } = await this.streams.update({ id }, given, ifVersions, context, this.keyed(keyed));
      return { stream: await this.shown(context.org, id), changed };
    });
  }

  @Handles(pauseStream)
  pause(request: RequestOf<typeof pauseStream>, context: RequestContext): Promise<ReplyOf<typeof pauseStream>> {
    return this.idempotency.once(pauseStream, request, context, (keyed) =>
      this.setStatus(request.id, 'paused', context, keyed),
    );
  }

  @Handles(resumeStream)
  resume(request: RequestOf<typeof resumeStream>, context: RequestContext): Promise<ReplyOf<typeof resumeStream>> {
    return this.idempotency.once(resumeStream, request, context, (keyed) =>
      this.setStatus(request.id, 'enabled', context, keyed),
    );
  }

  @Handles(deleteStream)
  delete(request: RequestOf<typeof deleteStream>, context: RequestContext): Promise<ReplyOf<typeof deleteStream>> {
    const { id, ifVersions } = request;
    return this.idempotency.once(deleteStream, request, context, (keyed) =>
      this.streams.delete({ id }, ifVersions, context, keyed),
    );
  }

  @Handles(listStreamTokens)
  async listTokens(
    request: RequestOf<typeof listStreamTokens>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listStreamTokens>> {
    const page = await this.tokens.list(request, context);
    await this.operator.recordRead(context, 'ssf_stream.read', [streamTarget(request.id)]);
    return page;
  }

  @Handles(resendStreamTokens)
  resend(
    request: RequestOf<typeof resendStreamTokens>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof resendStreamTokens>> {
    return this.idempotency.once(resendStreamTokens, request, context, async (keyed) => {
      await this.operator.check(context);
      return this.tokens.resend(request.id, request.jti, context, keyed);
    });
  }

  @Handles(getTransmitterSettings)
  async settings(
    _: RequestOf<typeof getTransmitterSettings>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof getTransmitterSettings>> {
    await this.operator.recordRead(context, 'ssf_transmitter.read');
    return this.transmitter.settings(context.org);
  }

  @Handles(updateTransmitterSettings)
  updateSettings(
    request: RequestOf<typeof updateTransmitterSettings>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof updateTransmitterSettings>> {
    return this.idempotency.once(updateTransmitterSettings, request, context, (keyed) =>
      this.transmitter.update(request.settings, context, keyed),
    );
  }

  private async setStatus(
    id: string,
    status: 'enabled' | 'paused',
    context: RequestContext,
    keyed: KeyedRequest | undefined,
  ): Promise<{ stream: ManagedStream; changed: boolean }> {
    const by = 'administrator' as const;
    const { changed } = await this.streams.setStatus({ id }, { status, by }, context, this.keyed(keyed));
    return { stream: await this.shown(context.org, id), changed };
  }

  private async shown(org: string, id: string, sql?: Sql): Promise<ManagedStream> {
    const [row] = await this.streams.shown(org, { id }, sql);
    if (!row) throw unknownStream();
    return toManagedStream(row);
  }

  private keyed<Reply extends Changed>(keyed: KeyedRequest | undefined): Keyed<Reply> | undefined {
    return (
      keyed && {
        keyed,
        reply: async ({ row, changed }, sql) => ({
          stream: await this.shown(row.org, row.id, sql),
          ...(changed !== undefined && { changed }),
        }),
      }
    );
  }
}

function urisOf(names: readonly SecurityEventName[] | undefined): string[] | undefined {
  return names?.map((name) => securityEvents[name].uri);
}
