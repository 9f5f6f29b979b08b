import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { missingSecrets, secretTable, shardSecretTable } from '@holdfast/platform-policy';
import { clusterStore, storeAt, type KubernetesObject } from './kubernetes-api.js';
import { createInSecret } from './kubernetes-secret.js';

const names = secretTable.map(({ name }) => name);
const objects = new Map<string, KubernetesObject>();
let version = 0;
let server: Server;

/** Like the API server: an object can be created once, and replaced only by a client that has its latest version. */
async function handle(request: IncomingMessage): Promise<[status: number, body: unknown]> {
  if (request.headers.authorization !== 'Bearer token') return [403, { message: 'secrets is forbidden' }];
  const name = request.url!.split('/')[2];
  if (request.method === 'GET') return objects.has(name!) ? [200, objects.get(name!)] : [404, {}];
  const object = JSON.parse(await text(request)) as KubernetesObject;
  const existing = objects.get(object.metadata.name);
  if (request.method === 'POST' ? existing : existing?.metadata.resourceVersion !== object.metadata.resourceVersion)
    return [409, { message: 'conflict' }];
  const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
  objects.set(object.metadata.name, stored);
  return [request.method === 'POST' ? 201 : 200, stored];
}

beforeEach(async () => {
  objects.clear();
  version = 0;
  server = createServer((request, response) => {
    void handle(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => void server.close());

const store = (token = 'token') =>
  storeAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/secrets`, token, new Agent());
const data = () => objects.get('holdfast')?.data ?? {};

describe('secrets create --kubernetes-secret', () => {
  test('creates the Secret with every key', async () => {
    expect(await createInSecret(store(), 'holdfast')).toEqual(names);
    expect(Object.keys(data())).toEqual(names);
    expect(Buffer.from(data().COOKIE_KEY!, 'base64').toString()).toMatch(/^[\w-]{43}$/);
  });

  test('adds what is missing to an existing Secret, and keeps the rest of it', async () => {
    const { COOKIE_KEY, ...others } = missingSecrets({});
    const existing = { ...others, OF_SOMEBODY_ELSE: COOKIE_KEY! };
    const encoded = Object.fromEntries(
      Object.entries(existing).map(([k, v]) => [k, Buffer.from(v).toString('base64')]),
    );
    objects.set('holdfast', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'holdfast', resourceVersion: '0', annotations: { mine: 'yes' } },
      data: encoded,
    });
    expect(await createInSecret(store(), 'holdfast')).toEqual(['COOKIE_KEY']);
    expect(data()).toMatchObject(encoded);
    expect(objects.get('holdfast')!.metadata.annotations).toEqual({ mine: 'yes' });
    const before = data();
    expect(await createInSecret(store(), 'holdfast')).toEqual([]);
    expect(data()).toBe(before);
  });

  test('creates the secrets of a shard only', async () => {
    expect(await createInSecret(store(), 'holdfast', shardSecretTable)).toEqual(
      shardSecretTable.map(({ name }) => name),
    );
    expect(Object.keys(data())).not.toContain('NATS_NKEY_SEED_GATEWAY');
  });

  test('creates one set when ten run at once', async () => {
    const created = await Promise.all(Array.from({ length: 10 }, () => createInSecret(store(), 'holdfast')));
    expect(created.flat()).toEqual(names);
    expect(version).toBe(1);
    expect(Object.keys(data())).toEqual(names);
  });

  test('says why the API refuses, without a value', async () => {
    await expect(createInSecret(store('wrong'), 'holdfast')).rejects.toThrow(
      'The Kubernetes API refuses GET with 403: secrets is forbidden',
    );
  });

  test('says what is missing outside of a cluster', async () => {
    await expect(clusterStore('secrets', {}, '/nowhere')).rejects.toThrow('This is no pod of a Kubernetes cluster');
  });
});
