import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Below the range from which systems take ports for outgoing connections, so that a restart finds its port free again.
 */
const lowest = 20_000;
const span = 10_000;
const given = new Set<number>();

/** The first of `count` neighbouring ports that nobody listens on. None is given twice by one process. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = lowest + Math.floor(Math.random() * (span - count));
    const ports = Array.from({ length: count }, (_, i) => first + i);
    if (ports.some((port) => given.has(port))) continue;
    const states = await Promise.all(ports.map(stateOfPort));
    if (states.some((state) => state !== 'free')) continue;
    for (const port of ports) given.add(port);
    return first;
  }
  throw new Error(`no ${count} free ports between ${lowest} and ${lowest + span}`);
}

export async function freePort(): Promise<number> {
  return freePorts(1);
}

/** Looks at every address a listener may have taken, since a listener on one of them hides from a probe of another. */
export async function stateOfPort(port: number): Promise<'free' | 'taken' | 'forbidden'> {
  for (const host of ['127.0.0.1', '0.0.0.0', '::1']) {
    const code = await tryToListen(port, host);
    if (code === 'EADDRINUSE') return 'taken';
    if (code === 'EACCES') return 'forbidden';
  }
  return 'free';
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Asks every 50 ms; false when the deadline passed first. */
export async function eventually(check: () => Promise<boolean> | boolean, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (!(await check())) {
    if (Date.now() >= deadline) return false;
    await sleep(50);
  }
  return true;
}
