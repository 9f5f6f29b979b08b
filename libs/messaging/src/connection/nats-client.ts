// What the NATS client does at a cost that it has no option for. Tests of each fail when an upgrade changes the client.
import { ProtocolHandler, RequestError, RequestOne, type NatsConnection } from '@nats-io/transport-node';

/** The part of the client that writes what has been published: `publish` calls it in a microtask. */
interface Protocol {
  flushPending(): void;
}

/**
 * Lets a connection write to its socket once in each turn of the event loop, instead of once after each callback:
 * requests that arrive together are sent together, and so are their responses. Each write is a system call and wakes
 * nats-server and a receiver, which is most of what a message costs under load
 * (docs/adr/0069-one-write-for-each-turn.md). What is not written when the connection breaks is lost, as is what was
 * written and not received.
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

const cancelled = new RequestError('cancelled');
// The client also cancels each request that has succeeded, with a new error that nobody receives. Capturing its stack
// trace took 4 % of the gateway's CPU time.
// oxlint-disable-next-line typescript/unbound-method -- it is called with its request
const { cancel } = RequestOne.prototype;
RequestOne.prototype.cancel = function (this: RequestOne, error: Error = cancelled) {
  cancel.call(this, error);
};

/** The part of the client that makes one attempt to connect. */
interface Dialling {
  dial(this: Dialling, server: unknown): Promise<void>;
  transport: { discard(): void };
}

// The client leaves the socket of an attempt open that ends by its timeout: one at each attempt to reach a dead server.
const attempts = ProtocolHandler.prototype as unknown as Dialling;
// oxlint-disable-next-line typescript/unbound-method -- it is called with its connection
const { dial } = attempts;
attempts.dial = async function (server) {
  try {
    await dial.call(this, server);
  } catch (error) {
    this.transport.discard();
    throw error;
  }
};
