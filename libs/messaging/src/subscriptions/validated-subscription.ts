import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { parseJson } from '../connection/connection-status.js';
import { countDroppedMessage } from './dropped-messages.js';

/**
 * The only subscription to plain messages; lint rejects others. It accepts a message on the subscribed subject, without
 * a reply subject, whose body fits the schema. It counts and drops all others. JetStream can be made to deliver to any
 * subject (`$JS.API.CONSUMER.MSG.NEXT` with a reply subject of the requester's choice). Such a message carries the
 * subject of the stored event and an acknowledgement subject, or is empty, so it is never accepted.
 */
export function subscribeValidated<S extends z.ZodType>(
  connection: NatsConnection,
  subject: string,
  schema: S,
  handle: (body: z.output<S>, subject: string) => void,
): void {
  const receive = (message: Msg): void => {
    if (!matches(subject, message.subject))
      return countDroppedMessage(subject, 'subject', `it was sent as ${printable(message.subject)}`);
    if (message.reply)
      return countDroppedMessage(subject, 'sender', 'it has a reply subject, which no message of this subject has');
    const body = schema.safeParse(parseJson(message));
    if (!body.success) return countDroppedMessage(subject, 'body', 'it does not fit the schema');
    handle(body.data, message.subject);
  };
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) return countDroppedMessage(subject, 'connection', String(error));
      try {
        receive(message);
      } catch (cause) {
        countDroppedMessage(subject, 'handler', String(cause));
      }
    },
  });
}

function matches(pattern: string, subject: string): boolean {
  if (pattern === subject) return true;
  const [expected, tokens] = [pattern.split('.'), subject.split('.')];
  return expected.length === tokens.length && expected.every((token, i) => token === '*' || token === tokens[i]);
}

/** The sender chose the subject, so it is cut and its line breaks are escaped. */
function printable(subject: string): string {
  return JSON.stringify(subject.slice(0, 100));
}
