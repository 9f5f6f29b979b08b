import { createServer, type RequestListener, type Server } from 'node:http';
import { receiverOrigin } from '../stack/config.ts';

/** A server at the one address of this machine that the stack under test may call. One at a time can be open. */
export class ReceiverServer {
  readonly #server: Server;

  constructor(respond: RequestListener) {
    this.#server = createServer(respond);
  }

  async open(): Promise<void> {
    const { port } = new URL(receiverOrigin());
    // "localhost" is the IPv4 or the IPv6 address, depending on the machine.
    await new Promise<void>((resolve, reject) =>
      this.#server.once('error', reject).listen({ port: Number(port), host: 'localhost' }, resolve),
    );
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  urlOf(path: string): string {
    return receiverOrigin() + path;
  }
}
