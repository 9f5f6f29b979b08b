import { createServer } from 'node:net';

/**
 * Below the range from which systems take ports for outgoing connections, so that a restart finds its port free again.
 */
const lowest = 10_000;
const span = 10_000;
const handedOut = new Set<number>();

/** The first of `count` adjacent ports that nobody listens on. None is handed out twice by one process. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const first = lowest + Math.floor(Math.random() * (span - count));
    const ports = Array.from({ length: count }, (_, i) => first + i);
    if (ports.some((port) => handedOut.has(port))) continue;
    if ((await Promise.all(ports.map(isFree))).includes(false)) continue;
    for (const port of ports) handedOut.add(port);
    return first;
  }
  throw new Error(`no ${count} free ports between ${lowest} and ${lowest + span}`);
}

export function freePort(): Promise<number> {
  return freePorts(1);
}

/** Tries every address that a listener may have, since a listener on one of them hides from a probe of another. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '0.0.0.0', '::1']) if (!(await canListen(port, host))) return false;
  return true;
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has no ::1, so only a port that is taken or forbidden counts.
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE' && code !== 'EACCES'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
