import { createServer, type Server } from 'node:http';
import { register } from './metrics.js';

/** Answers whether the service may be sent work; throws or resolves to false when not. */
export type ReadyCheck = () => Promise<boolean>;

/**
 * Health and metrics on a port of their own: `/healthz` (the process lives), `/readyz` (it may be sent work),
 * `/metrics`. What an operator should know of a service stands there too, a line each (Readiness.addRemarks).
 * Who looks whether a service with a test clock is ready sees that it has one: `testClock` is its offset in seconds.
 */
export function startOpsServer(
  port: number,
  host: string,
  ready: ReadyCheck,
  testClock?: number,
  remarks: () => string[] = () => [],
): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    if (request.url === '/healthz') return answer(200, 'ok\n');
    if (request.url === '/readyz') {
      ready().then(
        (yes) =>
          answer(
            yes ? 200 : 503,
            [
              `${yes ? 'ready' : 'not ready'}${testClock === undefined ? '' : `; test clock ${testClock} s`}`,
              ...remarks(),
              '',
            ].join('\n'),
          ),
        () => answer(503, 'not ready\n'),
      );
      return;
    }
    if (request.url === '/metrics') {
      register.metrics().then(
        (text) => answer(200, text, register.contentType),
        () => answer(500, ''),
      );
      return;
    }
    answer(404, 'not found\n');
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}
