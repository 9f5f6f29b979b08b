import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually, freePort, natsServerBinary, newTestFolder } from '@holdfast/testing';
import { createCertificates } from './certificates.js';
import { memoryStore } from './memory-store.fixture.js';
import { createRoutes } from './nats-routes.js';

const folder = newTestFolder('routes');
const store = memoryStore();
const servers: ChildProcess[] = [];
const ports: { cluster: number; monitor: number }[] = [];
const names = ['localhost'];

/** As the chart configures it. */
function start(
  i: number,
  { certificate, files }: { certificate: 'nats' | 'gateway'; files: Record<string, string> },
): void {
  const of = join(folder, String(i));
  mkdirSync(of);
  const secret = store.secret(`hf-${certificate}-tls`);
  for (const [name, content] of Object.entries({ ...secret, ...files })) writeFileSync(join(of, name), content);
  const { cluster, monitor } = ports[i]!;
  const config = `
    server_name: nats-${i}
    listen: "127.0.0.1:-1"
    log_file: "${of}/log"
    http: "127.0.0.1:${monitor}"
    cluster {
      name: hf
      listen: "127.0.0.1:${cluster}"
      no_advertise: true
      include ./routes.conf
      tls {
        cert_file: "${of}/tls.crt"
        key_file: "${of}/tls.key"
        ca_file: "${of}/ca.crt"
        verify: true
        timeout: 10
        ${files['pins.conf'] === undefined ? '' : 'include ./pins.conf'}
      }
    }`;
  writeFileSync(join(of, 'nats.conf'), config);
  servers.push(
    spawn(natsServerBinary(), ['-c', join(of, 'nats.conf')], {
      stdio: 'ignore',
    }),
  );
}

interface Monitored {
  routes?: { remote_name: string }[];
}
async function joinedWith(i: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${ports[i]!.monitor}/routez`);
  const { routes = [] } = (await response.json()) as Monitored;
  return [...new Set(routes.map(({ remote_name: name }) => name))].sort();
}

beforeAll(async () => {
  for (let i = 0; i < 5; i += 1) ports.push({ cluster: await freePort(), monitor: await freePort() });
  const components = ['nats', 'gateway'].map((component) => ({
    component,
    names,
  }));
  await createCertificates(store, 'hf', components, 90);
  const routes = ports.slice(0, 2).map(({ cluster }) => `tls://localhost:${cluster}`);
  await createRoutes(store, 'hf-nats-routes', routes, store.secret('hf-nats-tls')['tls.crt']);
});
afterAll(() => servers.forEach((server) => server.kill('SIGKILL')));

test('servers join each other, and none joins without the password or their certificate', async () => {
  const { 'routes.conf': withPassword, 'pins.conf': pins } = store.secret('hf-nats-routes');
  const own = {
    certificate: 'nats',
    files: { 'routes.conf': withPassword!, 'pins.conf': pins! },
  } as const;
  start(0, own);
  start(1, own);
  await eventually(async () => expect([await joinedWith(0), await joinedWith(1)]).toEqual([['nats-1'], ['nats-0']]));

  const withoutPassword = withPassword!.replace(/route:[^@]+@/g, '');
  start(2, { certificate: 'gateway', files: { 'routes.conf': withPassword! } });
  start(3, { certificate: 'nats', files: { 'routes.conf': withoutPassword } });
  start(4, {
    certificate: 'gateway',
    files: { 'routes.conf': withoutPassword },
  });
  // Each tries again every second. What it shows itself is no proof: it counts a route before the server refuses it.
  for (const i of [2, 3, 4]) await eventually(() => joinedWith(i));
  const refused = () => Promise.all([0, 1].map((i) => readFile(join(folder, String(i), 'log'), 'utf8')));
  for (let sample = 0; sample < 40; sample += 1) {
    expect([await joinedWith(0), await joinedWith(1)]).toEqual([['nats-1'], ['nats-0']]);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const log of await eventually(refused)) {
    expect(log).toContain('authentication error');
    expect(log).toMatch(/pinned/i);
  }
});
