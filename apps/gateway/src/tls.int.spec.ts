import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { TestAuthority } from '@holdfast/testing';
import type { GatewayConfig } from './config.js';
import { AuthStub, GatewayStack, type Gateway } from './gateway-stack.fixture.js';
import { createHttpApp } from './http.js';

const hstsOf = async (gateway: Gateway, path = '/healthz') => {
  const ca = readFileSync(authority.caFile, 'utf8');
  const agent = new Agent({ connect: { ca, host: '127.0.0.1', servername: 'localhost' } });
  const { statusCode, headers, body } = await request(`https://127.0.0.1:${gateway.port}${path}`, {
    dispatcher: agent,
  });
  await body.dump();
  await agent.close();
  return [statusCode, headers['strict-transport-security']];
};

let stack: GatewayStack;
let auth: AuthStub;
let authority: TestAuthority;
let files: { HTTP_CERT_FILE: string; HTTP_KEY_FILE: string };

beforeAll(async () => {
  [stack, auth, authority] = await Promise.all([GatewayStack.start(), new AuthStub().start(), TestAuthority.create()]);
  const { certFile, keyFile } = await authority.issue('localhost');
  files = { HTTP_CERT_FILE: certFile, HTTP_KEY_FILE: keyFile };
});
afterAll(async () => {
  await stack?.stop();
  await auth?.stop();
});

it('a gateway with a certificate serves HTTPS and no plain HTTP', async () => {
  const gateway = await stack.gateway([auth], files);
  expect(await hstsOf(gateway)).toEqual([200, 'max-age=63072000; includeSubDomains']);
  await expect(fetch(`http://127.0.0.1:${gateway.port}/healthz`)).rejects.toThrow();
});

it('no header makes browsers use https with every other program on localhost', async () => {
  const gateway = await stack.gateway([auth], { ...files, BASE_URL: 'https://localhost:8443' });
  expect(await hstsOf(gateway)).toEqual([200, undefined]);
});

it('a gateway does not start when only one of the two files of its certificate is configured', () => {
  expect(() => createHttpApp({ HTTP_CERT_FILE: files.HTTP_CERT_FILE } as GatewayConfig)).toThrow(
    'gateway would serve plain HTTP although TLS is configured.',
  );
});
