import { connect, type Socket } from 'node:net';

export interface Reply {
  /** 0 without a response. */
  status: number;
  retryAfter: boolean;
  /** Why there is no response. */
  failure?: string;
}

/**
 * One kept connection that sends encoded requests, one at a time, and reads of each response only what a measurement
 * needs: the status, Retry-After, and where it ends. It accepts responses with Content-Length only.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #received: Buffer | undefined;
  #sentAt = 0;
  #finish: ((reply: Reply) => void) | undefined;
  isOpen = true;
  /** Resolves when it is connected, or closed. */
  readonly opened: Promise<void>;

  /** @param onIdleClose called when the connection closes while no response is due */
  constructor({ port }: URL, localAddress: string, onIdleClose: () => void) {
    this.#socket = connect({ host: '127.0.0.1', localAddress, port: Number(port), noDelay: true });
    this.opened = new Promise((resolve) => this.#socket.once('connect', resolve).once('close', resolve));
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#close(error.code ?? error.message));
    this.#socket.on('close', () => {
      if (!this.#finish) onIdleClose();
      this.#close('connection closed');
    });
  }

  send(message: Buffer, finish: (reply: Reply) => void): void {
    this.#finish = finish;
    this.#sentAt = performance.now();
    this.#socket.write(message);
  }

  /** Ends a request that was sent before this time. */
  expire(before: number): void {
    if (this.#finish && this.#sentAt < before) this.#close('no response in time');
  }

  destroy(): void {
    this.isOpen = false;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#received ? Buffer.concat([this.#received, chunk]) : chunk;
    const endOfHead = bytes.indexOf('\r\n\r\n');
    const head = endOfHead < 0 ? '' : bytes.toString('latin1', 0, endOfHead + 2).toLowerCase();
    const length = Number(/\r\ncontent-length: *(\d+)\r\n/.exec(head)?.[1] ?? 0);
    if (head === '' || bytes.length < endOfHead + 4 + length) return void (this.#received = bytes);
    this.#received = undefined;
    const reply = { status: Number(head.slice(9, 12)), retryAfter: head.includes('\r\nretry-after: ') };
    if (head.includes('\r\nconnection: close\r\n')) this.destroy();
    this.#end(reply);
  }

  #close(failure: string): void {
    this.destroy();
    this.#end({ status: 0, retryAfter: false, failure });
  }

  #end(reply: Reply): void {
    const finish = this.#finish;
    this.#finish = undefined;
    finish?.(reply);
  }
}
