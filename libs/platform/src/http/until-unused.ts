import type { Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const stepMs = 50;

/**
 * Resolves when the server has no open connection, or after `timeoutMs`. A server that stops handles requests meanwhile
 * and asks for each connection to be closed: if it closed them itself, it would lose the request that a client sends in
 * that moment, and the client could not know whether the request was processed.
 */
export async function untilUnused(server: Server, timeoutMs: number): Promise<void> {
  for (let leftMs = timeoutMs; leftMs > 0 && (await connectionsOf(server)) > 0; leftMs -= stepMs)
    await setTimeout(stepMs);
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}
