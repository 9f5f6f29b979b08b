import { createServer } from 'node:net';

/**
 * Below the range of ephemeral ports for outgoing connections, so that a port is still free at a restart. Each of the
 * four processes that run tests beside each other has a quarter: a port that one of them has found and does not use yet
 * looks free to the others.
 */
const portCount = 2_500;
const { HOLDFAST_TEST_LANES: lanes, JEST_WORKER_ID: worker = '1' } = process.env;
const firstPort = 10_000 + portCount * (lanes ? Number(!lanes.includes('shared')) : (Number(worker) - 1) % 4);
const allocated = new Set<number>();

/** The first of `count` adjacent free ports. One process never gets the same port twice. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const first = firstPort + Math.floor(Math.random() * (portCount - count));
    const ports = Array.from({ length: count }, (_, i) => first + i);
    if (ports.some((port) => allocated.has(port))) continue;
    if ((await Promise.all(ports.map(isFree))).includes(false)) continue;
    for (const port of ports) allocated.add(port);
    return first;
  }
  throw new Error(`no ${count} free ports between ${firstPort} and ${firstPort + portCount}`);
}

export function freePort(): Promise<number> {
  return freePorts(1);
}

/** Tries every address of a possible listener, because a probe of one address does not detect listeners of another. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '0.0.0.0', '::1']) if (!(await canListen(port, host))) return false;
  return true;
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // Other errors, such as that of ::1 on a machine without IPv6, do not mean that the port is in use.
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE' && code !== 'EACCES'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
