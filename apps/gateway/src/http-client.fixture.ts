import { request as send, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface TestResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends one request on its own connection. */
export function sendRequest(
  { port }: { port: number },
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...(body && { 'content-length': body.length }) },
        agent: false,
      },
      (response) => {
        let text = '';
        response
          .on('data', (chunk: Buffer) => (text += chunk.toString()))
          .on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
      },
    );
    request.on('error', reject).end(body);
  });
}

/** Sends raw bytes; `text` collects the bytes of the responses. */
export class RawClient {
  text = '';
  closed = false;
  readonly socket: Socket;

  constructor({ port }: { port: number }, bytes: string) {
    this.socket = connect(port, '127.0.0.1', () => void this.socket.write(bytes, 'latin1'));
    this.socket.on('data', (chunk) => (this.text += chunk.toString('latin1')));
    this.socket.on('error', () => undefined).on('close', () => (this.closed = true));
  }
}
