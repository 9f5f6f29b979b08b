import { connect } from 'node:net';

export interface RawRequest {
  method: string;
  path: string;
  /** A name may occur twice, which no client library sends. */
  headers: string[][];
  body: string;
}

/** Sends a request exactly as it is given; returns the status of the response. */
export async function rawStatus(base: string, { method, path, headers, body }: RawRequest): Promise<number> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: x',
    'connection: close',
    ...headers.map((pair) => pair.join(': ')),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString('latin1');
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}
