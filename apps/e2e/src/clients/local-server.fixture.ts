import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine. A stack may call it when OUTBOUND_ALLOW has its origin. */
export class LocalServer {
  readonly #server: Server;

  constructor(respond: RequestListener) {
    this.#server = createServer(respond);
  }

  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * At any free port when `port` is left out. "localhost" is the IPv4 or the IPv6 address, depending on the machine.
   */
  async open(port = 0): Promise<void> {
    await once(this.#server.listen(port, 'localhost'), 'listening');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
