import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Pair {
  near: Socket;
  /** Undefined while the link is cut: a client that connects then is not connected to the server. */
  far: Socket | undefined;
}

/**
 * A TCP proxy that can be cut like a network that drops packets: connections stay open, and nothing passes in either
 * direction, not even an end or a reset. When it is mended, it delivers what was sent meanwhile, as TCP does.
 */
export class SeverableLink {
  readonly #host: string;
  readonly #port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #intact = true;

  private constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => this.#take(near));
  }

  static async to(host: string, port: number): Promise<SeverableLink> {
    const link = new SeverableLink(host, port);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    // The server must not keep the launcher alive.
    link.#server.unref();
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#intact = false;
    for (const { near, far } of this.#pairs) {
      for (const socket of [near, far]) socket?.unpipe().pause();
    }
  }

  mend(): void {
    this.#intact = true;
    for (const pair of this.#pairs) this.#join(pair);
  }

  close(): void {
    this.#server.close();
    for (const { near, far } of this.#pairs) [near, far].forEach((socket) => socket?.destroy());
  }

  #take(near: Socket): void {
    const pair: Pair = { near, far: undefined };
    this.#pairs.add(pair);
    this.#watch(near, pair);
    if (this.#intact) this.#join(pair);
  }

  #join(pair: Pair): void {
    const { near } = pair;
    if (!pair.far && !near.destroyed) {
      pair.far = connect({ host: this.#host, port: this.#port, allowHalfOpen: true });
      this.#watch(pair.far, pair);
    }
    const { far } = pair;
    if (!far || near.destroyed || far.destroyed) return this.#end(pair);
    near.pipe(far);
    far.pipe(near);
  }

  /** The end of one side reaches the other only through an intact link. */
  #watch(socket: Socket, pair: Pair): void {
    socket.setNoDelay(true).on('error', () => undefined);
    socket.on('close', () => this.#intact && this.#end(pair));
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.near.destroy();
    pair.far?.destroy();
  }
}
