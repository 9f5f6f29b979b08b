import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Contract, DomainEvent, Stream } from '@holdfast/contracts';
import { SpanKind, traceHeader, type SpanDescription } from '@holdfast/platform';

const attributesOf = (operation: string, type: string, destination: string) => ({
  'messaging.system': 'nats',
  'messaging.operation.name': operation,
  'messaging.operation.type': type,
  'messaging.destination.name': destination,
});

/** The caller's side of a request over NATS, until its reply. The name is that of the contract, without the replica. */
export function requestSpan({ subject }: Contract): SpanDescription {
  return {
    name: `request ${subject}`,
    kind: SpanKind.CLIENT,
    attributes: attributesOf('request', 'send', subject),
  };
}

export function handleSpan({ subject }: Contract): SpanDescription {
  return {
    name: `handle ${subject}`,
    kind: SpanKind.SERVER,
    attributes: attributesOf('handle', 'process', subject),
  };
}

/** The publication of a message of events by the relay, until JetStream has stored it. */
export function publishSpan(subject: string, events = 1): SpanDescription {
  return {
    name: `publish ${subject}`,
    kind: SpanKind.PRODUCER,
    attributes: {
      ...attributesOf('publish', 'send', subject),
      ...(events > 1 && { 'messaging.batch.message_count': events }),
    },
  };
}

/** A batch of events that a consumer applies. */
export function consumeSpan({ name, producer }: Stream, events: readonly DomainEvent[]): SpanDescription {
  const destination = events.length === 1 ? `evt.${producer}.${events[0]!.type}` : `evt.${producer}`;
  return {
    name: `process ${destination}`,
    kind: SpanKind.CONSUMER,
    attributes: {
      ...attributesOf('process', 'process', destination),
      'messaging.destination.subscription.name': name,
      'messaging.batch.message_count': events.length,
    },
  };
}

/** Options of a request or publication that carry the position in the trace; none when there is no trace. */
export function traceHeaders(traceparent: string | undefined): { headers?: MsgHdrs } {
  if (traceparent === undefined) return {};
  const carrying = headers();
  carrying.set(traceHeader, traceparent);
  return { headers: carrying };
}

/** The position in the trace that a message carries. */
export function traceparentOf(message: { headers?: MsgHdrs | undefined }): string | undefined {
  return message.headers?.get(traceHeader) || undefined;
}
