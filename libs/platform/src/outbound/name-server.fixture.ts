import { createSocket, type Socket } from 'node:dgram';

const typeA = 1;

/** A name server on this machine (RFC 1035): each query for an IPv4 address gets the next answer, others get none. */
export class NameServer {
  queries = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly answers: readonly string[],
  ) {
    socket.on('message', (query, { address, port }) => socket.send(this.answerTo(query), port, address));
  }

  static async start(...answers: string[]): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve));
    return new NameServer(socket, answers);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }

  private answerTo(query: Buffer): Buffer {
    // The question begins after the header: labels up to an empty one, type and class.
    const end = query.indexOf(0, 12) + 5;
    const question = query.subarray(12, end);
    const isAddress = question.readUInt16BE(question.length - 4) === typeA;
    const address = isAddress ? this.answers[Math.min(this.queries++, this.answers.length - 1)] : undefined;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(address === undefined ? 0 : 1, 6);
    header.writeUInt32BE(0, 8);
    if (address === undefined) return Buffer.concat([header, question]);
    // A pointer to the name, type A, class IN, no caching, four bytes.
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
    return Buffer.concat([header, question, answer]);
  }
}
