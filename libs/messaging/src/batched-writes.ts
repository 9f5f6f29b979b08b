import type { NatsConnection } from '@nats-io/transport-node';

/** The part of the client that writes what has been published: `publish` calls it in a microtask. */
interface Protocol {
  flushPending(): void;
}

/**
 * Lets a connection write to its socket once in each turn of the event loop, instead of once after each callback:
 * requests that arrive together are sent together, and so are their responses. Each write is a system call and wakes
 * nats-server and a receiver, which is most of what a message costs under load
 * (docs/adr/0069-one-write-for-each-turn.md). The client has no option for it, so this replaces the method that writes.
 * The client keeps what is not written yet in its own buffer, across reconnects too.
 */
export function writeOncePerTurn(connection: NatsConnection): void {
  const { protocol } = connection as unknown as { protocol: Protocol };
  const write = protocol.flushPending.bind(protocol);
  let isScheduled = false;
  protocol.flushPending = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      write();
    });
  };
}
