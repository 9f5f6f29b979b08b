import { Agent, request as send, type OutgoingHttpHeaders } from 'node:http';

/** One request as it goes over the wire. Nothing is normalized, so that a test can send what a library would not. */
export interface WireRequest {
  origin: string;
  method?: string;
  /** Path and query, sent as they are. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Sends the body without a Content-Length. */
  chunked?: boolean;
  timeoutMs?: number;
}

export interface Reply<Body = Problem> {
  status: number;
  /** By lower-case name; repeated ones joined by a comma. */
  headers: Record<string, string>;
  text: string;
  /** The parsed body; undefined when there is none or it is not JSON. */
  body: Body;
  milliseconds: number;
}

/** The body of an error response (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  instance?: string;
  code: string;
  requestId: string;
  errors?: { pointer?: string; parameter?: string; header?: string; detail: string }[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 128 });

/** The X-Request-Id that a test chose, by the id that Holdfast assigned: an erasure removes the former from the log. */
export const chosenIds = new Map<string, string>();

/**
 * Sends a request and reads the whole response, of a stream of events only the headers. Rejects only when there is no
 * response.
 */
export function exchange<Body = Problem>({
  origin,
  method = 'GET',
  path,
  headers = {},
  body,
  chunked,
  timeoutMs = 30_000,
}: WireRequest): Promise<Reply<Body>> {
  const began = performance.now();
  const { hostname, port } = new URL(origin);
  const length = body !== undefined && !chunked ? { 'content-length': Buffer.byteLength(body) } : {};
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        agent,
        host: hostname,
        port,
        method,
        path,
        headers: { ...length, ...headers },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (response) => {
        const chunks: Buffer[] = [];
        const finish = (): void => {
          const text = Buffer.concat(chunks).toString('utf8');
          const flat = Object.fromEntries(
            Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
          );
          if (headers['x-request-id'] !== undefined)
            chosenIds.set(flat['holdfast-request-id'] ?? '', String(headers['x-request-id']));
          resolve({
            status: response.statusCode ?? 0,
            headers: flat,
            text,
            body: parse(text, flat['content-type']) as Body,
            milliseconds: performance.now() - began,
          });
        };
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          finish();
          return void response.destroy();
        }
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', finish);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function parse(text: string, type = ''): unknown {
  return /^application\/(?:[a-z-]+\+)?json/.test(type) && text !== '' ? JSON.parse(text) : undefined;
}

/** Closes the connections that are kept alive, since they would keep a finished test process running. */
export function closeConnections(): void {
  agent.destroy();
}
