import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Below the range of ports for outgoing connections, so that a restart finds its port free again. */
const lowest = 20_000;
const span = 10_000;
const assigned = new Set<number>();

/** The first of `count` adjacent free ports. One process never returns a port twice. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = lowest + Math.floor(Math.random() * (span - count));
    const ports = Array.from({ length: count }, (_, i) => first + i);
    if (ports.some((port) => assigned.has(port))) continue;
    const states = await Promise.all(ports.map(stateOfPort));
    if (states.some((state) => state !== 'free')) continue;
    for (const port of ports) assigned.add(port);
    return first;
  }
  throw new Error(`There are no ${count} adjacent free ports between ${lowest} and ${lowest + span}.`);
}

export async function freePort(): Promise<number> {
  return freePorts(1);
}

/** Tries every address that a listener may use: a probe of one address does not detect a listener on another. */
export async function stateOfPort(port: number): Promise<'free' | 'taken' | 'forbidden'> {
  for (const host of ['127.0.0.1', '0.0.0.0', '::1']) {
    const code = await listenError(port, host);
    if (code === 'EADDRINUSE') return 'taken';
    if (code === 'EACCES') return 'forbidden';
  }
  return 'free';
}

function listenError(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Calls `check` every 50 ms until it is true; false when it was not within the time. */
export async function eventually(check: () => Promise<boolean> | boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() >= deadline) return false;
    await sleep(50);
  }
  return true;
}
