import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fastifyOf, { type FastifyInstance } from 'fastify';
import { Backlog, refuseBacklog } from './backlog.js';

let now = 0;
let fastify: FastifyInstance;
let release!: () => void;

/** How long the loop has not come to its timers: they are not run here. */
class Late extends Backlog {
  override tick(): void {
    // The test moves the time.
  }
}

beforeAll(async () => {
  fastify = fastifyOf({ serverFactory: (handler) => createServer(handler) });
  refuseBacklog(fastify, 250, new Late(() => now));
  const held = new Promise<void>((resolve) => (release = resolve));
  fastify.get('/held', async () => held.then(() => 'done'));
  for (const path of ['/quick', '/healthz']) fastify.get(path, () => 'done');
  await fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => fastify.close());

function ask(path: string): Promise<number> {
  const { port } = fastify.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, path, agent: false }, (response) => response.resume().on('end', () => resolve(response.statusCode!))).on('error', reject).end();
  });
}

describe('a gateway whose event loop is behind', () => {
  test('goes on as long as few requests are under way', async () => {
    now = 1000;
    expect(await ask('/quick')).toBe(200);
  });

  test('refuses what comes while many are, but probes, and takes it again when it has caught up', async () => {
    now = 0;
    const held = Array.from({ length: 64 }, () => ask('/held'));
    while ((await new Promise<number>((resolve, reject) => fastify.server.getConnections((error, n) => (error ? reject(error) : resolve(n))))) < 64) await ask('/quick');
    await ask('/quick');
    now = 271;
    expect([await ask('/quick'), await ask('/healthz')]).toEqual([503, 200]);
    now = 269;
    expect(await ask('/quick')).toBe(200);
    release();
    expect(await Promise.all(held)).toEqual(Array(64).fill(200));
  });
});
