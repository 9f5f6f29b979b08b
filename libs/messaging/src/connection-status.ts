import type { Msg, NatsConnection, Status } from '@nats-io/transport-node';

/**
 * Calls `heed` with each change of the connection's state until it is closed; what it throws goes to `failed` and ends
 * nothing.
 */
export function onConnectionStatus(
  connection: NatsConnection,
  heed: (status: Status) => void,
  failed: (error: unknown) => void,
): void {
  const loop = async (): Promise<void> => {
    for await (const status of connection.status()) {
      try {
        heed(status);
      } catch (error) {
        failed(error);
      }
    }
  };
  loop().catch(failed);
}

/** The body of a message, or undefined when it is not JSON. */
export function parseJson(message: Pick<Msg, 'json'>): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
