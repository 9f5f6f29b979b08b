import { createServer, type Server } from 'node:http';
import type { Readiness } from './lifecycle.js';
import { register } from './metrics.js';

/**
 * Serves health and metrics on a port of their own: `/healthz` (the process runs), `/readyz` (whether it should get
 * requests, with one line per remark) and `/metrics`. `/readyz` also shows `testClock`, the offset of
 * HOLDFAST_TEST_CLOCK in seconds.
 */
export function startOpsServer(
  port: number,
  host: string,
  readiness: Pick<Readiness, 'report'>,
  testClock?: number,
): Promise<Server> {
  const server = createServer((request, response) => {
    const respond = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    if (request.url === '/healthz') return respond(200, 'ok\n');
    if (request.url === '/readyz') {
      const clock = testClock === undefined ? '' : `; test clock ${testClock} s`;
      readiness.report().then(
        ({ ready, remarks }) =>
          respond(ready ? 200 : 503, [`${ready ? 'ready' : 'not ready'}${clock}`, ...remarks, ''].join('\n')),
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
