import { Controller, Inject } from '@nestjs/common';
import {
  changeStreamSubject,
  createOwnStream,
  deleteOwnStream,
  deliveryMethods,
  getOwnStreamStatus,
  getTransmitter,
  listOwnStreams,
  pollStream,
  setOwnStreamStatus,
  updateOwnStream,
  verifyStream,
  type NewStream,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type StreamChanges,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';
import { Polls } from './polls.js';
import { StreamSubjects } from './stream-subjects.js';
import { toStatus, toStream, type StreamRow } from './stream.js';
import { Streams, type StreamChange } from './streams.js';
import { subjectOf } from './subjects.js';
import { Transmitter } from './transmitter.js';

/** The requests of receivers about their own streams (SSF 1.0 §8). A command runs once for an Idempotency-Key. */
@Controller()
export class OwnStreamsHandler {
  constructor(
    private readonly streams: Streams,
    private readonly subjects: StreamSubjects,
    private readonly polls: Polls,
    private readonly transmitter: Transmitter,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {}

  @Handles(listOwnStreams)
  async list(
    { stream_id: id }: RequestOf<typeof listOwnStreams>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof listOwnStreams>> {
    const rows = await this.streams.found(org, { receiver: actor.id, id });
    return { items: rows.map((row) => this.shown(row)) };
  }

  @Handles(createOwnStream)
  create(
    request: RequestOf<typeof createOwnStream>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createOwnStream>> {
    const { events_requested: events, description, delivery } = request.stream;
    const given = { receiver: context.actor.id, events, description, ...deliveryOf(delivery) };
    const reply = ({ row }: { row: StreamRow }) => ({ stream: this.shown(row) });
    return this.idempotency.once(createOwnStream, request, context, async (keyed) =>
      reply(await this.streams.create({ method: 'poll', ...given }, context, keyed && { keyed, reply })),
    );
  }

  @Handles(updateOwnStream)
  update(
    request: RequestOf<typeof updateOwnStream>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof updateOwnStream>> {
    const { stream, replaces } = request;
    const reach = { receiver: context.actor.id, id: stream.stream_id };
    const reply = ({ row, changed }: { row: StreamRow; changed: boolean }) => ({ stream: this.shown(row), changed });
    return this.idempotency.once(updateOwnStream, request, context, async (keyed) => {
      const [before] = await this.streams.found(context.org, reach);
      this.requireOwnMembers(before!, stream);
      const change = replaces ? replacementOf(stream) : changeOf(stream);
      return reply(await this.streams.update(reach, change, undefined, context, keyed && { keyed, reply }));
    });
  }

  @Handles(deleteOwnStream)
  delete(
    request: RequestOf<typeof deleteOwnStream>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof deleteOwnStream>> {
    const reach = { receiver: context.actor.id, id: request.stream_id };
    return this.idempotency.once(deleteOwnStream, request, context, (keyed) =>
      this.streams.delete(reach, undefined, context, keyed),
    );
  }

  @Handles(getOwnStreamStatus)
  async status(
    { stream_id: id }: RequestOf<typeof getOwnStreamStatus>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof getOwnStreamStatus>> {
    return toStatus((await this.streams.found(org, { receiver: actor.id, id }))[0]!);
  }

  @Handles(setOwnStreamStatus)
  setStatus(
    request: RequestOf<typeof setOwnStreamStatus>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof setOwnStreamStatus>> {
    const { stream_id: id, status, reason } = request.status;
    const reach = { receiver: context.actor.id, id };
    const reply = ({ row, changed }: { row: StreamRow; changed: boolean }) => ({ status: toStatus(row), changed });
    return this.idempotency.once(setOwnStreamStatus, request, context, async (keyed) =>
      reply(
        await this.streams.setStatus(reach, { status, reason, by: 'receiver' }, context, keyed && { keyed, reply }),
      ),
    );
  }

  @Handles(changeStreamSubject)
  changeSubject(
    request: RequestOf<typeof changeStreamSubject>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof changeStreamSubject>> {
    const { subject: given, stream_id: id } = request.subject;
    const reach = { receiver: context.actor.id, id };
    return this.idempotency.once(changeStreamSubject, request, context, (keyed) => {
      const subject = subjectOf(given, context.org, this.config.BASE_URL);
      const whole = keyed && { keyed, reply: (reply: { changed: boolean }) => reply };
      return this.subjects.change(reach, subject, request.added, context, whole);
    });
  }

  @Handles(verifyStream)
  verify(request: RequestOf<typeof verifyStream>, context: RequestContext): Promise<ReplyOf<typeof verifyStream>> {
    const { stream_id: id, state } = request.verification;
    const reach = { receiver: context.actor.id, id };
    return this.idempotency.once(verifyStream, request, context, (keyed) =>
      this.subjects.verify(reach, state, context, keyed && { keyed, reply: () => ({}) }),
    );
  }

  @Handles(pollStream)
  poll(request: RequestOf<typeof pollStream>, { org, actor }: RequestContext): Promise<ReplyOf<typeof pollStream>> {
    return this.polls.poll(org, actor.id, request);
  }

  @Handles(getTransmitter)
  settings(_: RequestOf<typeof getTransmitter>, { org }: RequestContext): Promise<ReplyOf<typeof getTransmitter>> {
    return this.transmitter.settings(org);
  }

  private shown(row: StreamRow) {
    return toStream(row, this.config.BASE_URL);
  }

  /** What the transmitter sets may only be sent back as it is (SSF 1.0 §8.1.1.3). @throws invalid_request */
  private requireOwnMembers(before: StreamRow, given: StreamChanges): void {
    const own = this.shown(before);
    const names = [
      ...(['iss', 'aud', 'events_supported', 'events_delivered'] as const),
      ...(['min_verification_interval', 'inactivity_timeout'] as const),
    ];
    for (const name of names)
      if (given[name] !== undefined && JSON.stringify(given[name]) !== JSON.stringify(own[name]))
        throw new AppError('invalid_request', `${name} is set by the transmitter, and has another value now.`);
  }
}

function deliveryOf(delivery: NewStream['delivery']): Pick<StreamChange, 'endpointUrl'> & {
  method?: 'push' | 'poll';
  authorization?: string;
} {
  if (!delivery) return {};
  if (delivery.method === deliveryMethods.poll) return { method: 'poll' };
  const { endpoint_url: endpointUrl, authorization_header: authorization } = delivery;
  return { method: 'push', endpointUrl, ...(authorization !== undefined && { authorization }) };
}

function changeOf({ events_requested: events, description, delivery }: StreamChanges): StreamChange {
  return { events, description, ...deliveryOf(delivery) };
}

/** What is not given is removed (SSF 1.0 §8.1.1.4). */
function replacementOf({
  events_requested: events = null!,
  description = null!,
  delivery,
}: StreamChanges): StreamChange {
  return { authorization: null, events, description, ...deliveryOf(delivery) };
}
