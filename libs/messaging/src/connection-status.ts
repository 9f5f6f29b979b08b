import type { Msg, NatsConnection, Status } from '@nats-io/transport-node';

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

/** The body of a message, or undefined when it is not JSON. */
export function parseJson(message: Pick<Msg, 'json'>): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
