import type { JsMsg } from '@nats-io/jetstream';
import { z } from 'zod';
import { maxEventsPerMessage, type DomainEvent } from '@holdfast/contracts';
import { parseJson } from '../connection/connection-status.js';
import { traceparentOf } from '../telemetry/message-spans.js';

/** An event of a message, whose body has not been parsed yet. */
export interface DeliveredEvent {
  id: string;
  body: unknown;
  /** Position in the trace of the message. One with several events has none, since they belong to several requests. */
  traceparent: string | undefined;
}

const several = z.array(z.unknown()).min(1).max(maxEventsPerMessage);
const identified = z.object({ id: z.string() });

/**
 * Whether a message is none of an outbox: it is empty, or has neither a message id nor an event. JetStream publishes
 * such ones where a user that may ask it anything names a stream's subject as reply subject, so anybody with such a
 * right could fill the quarantine with them (docs/adr/0071-accounts-of-readers.md).
 */
export function isForeign(message: JsMsg): boolean {
  if (message.data.length === 0) return true;
  if (message.headers?.get('Nats-Msg-Id')) return false;
  return ![parseJson(message)].flat().some((one) => identified.safeParse(one).success);
}

/** The events of a message, whose body is one event or an array of several. */
export function eventsIn(message: JsMsg): DeliveredEvent[] {
  const body = parseJson(message);
  const { success, data } = several.safeParse(body);
  if (!success) return [{ id: messageIdOf(message), body, traceparent: traceparentOf(message) }];
  return data.map((one) => ({
    id: identified.safeParse(one).data?.id ?? `seq ${message.seq}`,
    body: one,
    traceparent: undefined,
  }));
}

/** The request that caused an event: by its message, or else by itself. */
export function originOf({ traceparent }: DeliveredEvent, event: DomainEvent): string {
  return traceparent ?? event.traceparent;
}

/** The relay puts the id of the event, or of the first one, first in the message id (libs/outbox). */
export function messageIdOf({ headers, seq }: JsMsg): string {
  return headers?.get('Nats-Msg-Id').split('.')[0] || `seq ${seq}`;
}
