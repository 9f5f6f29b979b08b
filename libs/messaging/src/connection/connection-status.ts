import {
  ClosedConnectionError,
  DrainingConnectionError,
  type Msg,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';

/** Calls `handle` with each status of the connection until it is closed. Errors go to `onError` and end nothing. */
export function onConnectionStatus(
  connection: NatsConnection,
  handle: (status: Status) => void,
  onError: (error: unknown) => void,
): void {
  const loop = async (): Promise<void> => {
    for await (const status of connection.status()) {
      try {
        handle(status);
      } catch (error) {
        onError(error);
      }
    }
  };
  loop().catch(onError);
}

/**
 * Publishes a message that nothing depends on. A connection that is closed, or about to be, drops it: publish() throws
 * then, and in a timer that would end the process instead of letting it stop in order.
 */
export function publishHint(connection: Pick<NatsConnection, 'publish'>, subject: string, body: unknown): void {
  try {
    connection.publish(subject, JSON.stringify(body));
  } catch (error) {
    if (!(error instanceof ClosedConnectionError || error instanceof DrainingConnectionError)) throw error;
  }
}

/** The body of a message, or undefined when it is not JSON. */
export function parseJson(message: Pick<Msg, 'json'>): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
