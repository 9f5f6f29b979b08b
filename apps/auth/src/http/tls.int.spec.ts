import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { TestAuthority } from '@holdfast/testing';
import { AuthStack, type Replica } from '../auth-stack.fixture.js';
import type { Config } from '../config.js';
import { createHttpApp } from './http-app.js';

let stack: AuthStack;
let authority: TestAuthority;
let replica: Replica;
let url: string;

beforeAll(async () => {
  authority = await TestAuthority.create();
  stack = await AuthStack.start();
  const { certFile, keyFile } = await authority.issue('localhost');
  replica = await stack.startReplica({
    config: { HTTP_CERT_FILE: certFile, HTTP_KEY_FILE: keyFile, HTTP_CLIENT_CA_FILE: authority.caFile },
  });
  url = `${replica.base.replace('http://127.0.0.1', 'https://localhost')}/readyz`;
});
afterAll(async () => {
  await replica?.stop();
  await stack?.stop();
});

const read = (path: string) => readFileSync(path, 'utf8');

/** The status of a request over a new connection. */
async function statusWith(connect: { ca?: string; cert?: string; key?: string }): Promise<number> {
  const agent = new Agent({ connect });
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent });
    await body.dump();
    return statusCode;
  } finally {
    await agent.close();
  }
}

it('auth accepts connections of clients that the authority signed, and no others', async () => {
  const own = await authority.issue('gateway');
  const other = await TestAuthority.create();
  const foreign = await other.issue('gateway');
  const ca = read(authority.caFile);
  expect(await statusWith({ ca, cert: read(own.certFile), key: read(own.keyFile) })).toBe(200);
  await expect(statusWith({ ca })).rejects.toThrow();
  await expect(statusWith({ ca, cert: read(foreign.certFile), key: read(foreign.keyFile) })).rejects.toThrow();
  const plain = url.replace('https:', 'http:');
  await expect(fetch(plain)).rejects.toThrow();
});

it('auth does not start when only one of the two files of its certificate is configured', () => {
  expect(() => createHttpApp({ HTTP_CERT_FILE: authority.caFile } as Config)).toThrow(
    'Without both HTTP_CERT_FILE and HTTP_KEY_FILE, auth would serve plain HTTP although TLS is configured.',
  );
});
