import { createServer } from 'node:net';

/**
 * Below the range from which systems take ports for outgoing connections, so that a restart finds its port free again.
 */
const lowest = 10_000;
const span = 10_000;
const handedOut = new Set<number>();

/** A port that nobody listens on; none is handed out twice by one process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * span);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error(`no free port between ${lowest} and ${lowest + span}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
