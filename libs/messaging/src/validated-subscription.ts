import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { parseJson } from './connection-status.js';
import { countDroppedMessage } from './dropped-messages.js';

/**
 * The one way to subscribe to plain messages (eslint.config.mjs refuses others). A message is accepted on a subject
 * that was subscribed to, without a reply subject, and with a body that fits the schema; all others are counted and
 * dropped. JetStream can be made to deliver to any subject (`$JS.API.CONSUMER.MSG.NEXT` with a reply subject of the
 * caller's choice): what it delivers has the subject of the stored event and an acknowledgement as its reply, or is
 * empty. So none of it is accepted.
 */
export function subscribeValidated<S extends z.ZodType>(
  connection: NatsConnection,
  subject: string,
  schema: S,
  heard: (body: z.output<S>, subject: string) => void,
): void {
  const take = (message: Msg): void => {
    if (!matches(subject, message.subject))
      return countDroppedMessage(subject, 'subject', `it was sent as ${shown(message.subject)}`);
    if (message.reply)
      return countDroppedMessage(subject, 'sender', 'it asks for a reply, as nothing does that belongs here');
    const body = schema.safeParse(parseJson(message));
    if (!body.success) return countDroppedMessage(subject, 'body', 'it does not fit the schema');
    heard(body.data, message.subject);
  };
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) return countDroppedMessage(subject, 'connection', String(error));
      try {
        take(message);
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

/** A sender chose it: short, and without what would break a line. */
function shown(subject: string): string {
  return JSON.stringify(subject.slice(0, 100));
}
