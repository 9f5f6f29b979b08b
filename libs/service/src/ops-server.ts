import { createServer, type Server } from 'node:http';
import { register } from './metrics.js';

/** Whether the service can handle requests. A rejection counts as false. */
export type ReadyCheck = () => Promise<boolean>;

/**
 * Serves health and metrics on a port of their own: `/healthz` (the process runs), `/readyz` (it can handle requests,
 * with one line per remark) and `/metrics`. `/readyz` also shows `testClock`, the offset of HOLDFAST_TEST_CLOCK in
 * seconds.
 */
export function startOpsServer(
  port: number,
  host: string,
  ready: ReadyCheck,
  testClock?: number,
  remarks: () => string[] = () => [],
): Promise<Server> {
  const server = createServer((request, response) => {
    const respond = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    if (request.url === '/healthz') return respond(200, 'ok\n');
    if (request.url === '/readyz') {
      ready().then(
        (isReady) =>
          respond(
            isReady ? 200 : 503,
            [
              `${isReady ? 'ready' : 'not ready'}${testClock === undefined ? '' : `; test clock ${testClock} s`}`,
              ...remarks(),
              '',
            ].join('\n'),
          ),
        () => respond(503, 'not ready\n'),
      );
      return;
    }
    if (request.url === '/metrics') {
      register.metrics().then(
        (text) => respond(200, text, register.contentType),
        () => respond(500, ''),
      );
      return;
    }
    respond(404, 'not found\n');
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}
