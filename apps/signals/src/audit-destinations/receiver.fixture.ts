import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}
/** Answers one request. Without an answer the connection hangs. */
export type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

/** A receiver of requests: each path answers as it was set up, one answer after the other, the last one for ever. */
export class Receiver {
  readonly received: ReceivedRequest[] = [];
  private readonly answers = new Map<string, Respond[]>();
  private readonly server: Server = createServer((request, response) => void this.take(request, response));

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  answer(path: string, ...answers: Respond[]): void {
    this.answers.set(path, answers);
  }

  at(path: string): ReceivedRequest[] {
    return this.received.filter((request) => request.path === path);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const taken = { path: request.url!, headers: request.headers, body };
    this.received.push(taken);
    const answers = this.answers.get(taken.path) ?? [status(200)];
    if (answers.length > 1) this.answers.set(taken.path, answers.slice(1));
    answers[0]!(taken, response);
  }
}

export function status(code: number, body: unknown = '', headers: Record<string, string> = {}): Respond {
  return (_, response) =>
    void response.writeHead(code, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
}

export const closed: Respond = (_, response) => void response.socket!.destroy();
export const hanging: Respond = () => undefined;
