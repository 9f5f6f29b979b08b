import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuthStub, GatewayStack, type Gateway } from '../../gateway-stack.fixture.js';
import { sendRequest } from '../../http-client.fixture.js';

let stack: GatewayStack;
let auth: AuthStub;
let gateway: Gateway;

beforeAll(async () => {
  stack = await GatewayStack.start();
  auth = await new AuthStub().start();
  gateway = await stack.gateway([auth], { RATE_LIMITS: 'all=1000000', MAX_BACKLOG_MS: '60000' });
});
afterAll(async () => {
  await stack?.stop();
  await auth?.stop();
});

const json = 'application/json; charset=utf-8';

/** The response of the gateway to a request that auth answers like this. */
function forward(method: string, path: string, status: number, headers: Record<string, string>, body: string) {
  auth.response = { status, headers, body };
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return sendRequest(gateway, method, path, method === 'POST' ? type : {}, method === 'POST' ? 'token=x' : '');
}

describe('a response of auth', () => {
  it.each<[string, string, string, number]>([
    ['that confirms a revocation', 'POST', '/o/acme/token/revocation', 200],
    ['to a CORS preflight', 'OPTIONS', '/o/acme/token', 204],
    ['that redirects', 'GET', '/o/acme/authorize', 303],
    ['that refuses a method', 'POST', '/oauth2/token', 405],
  ])('%s without a body has no content type, and its length is 0', async (_, method, path, status) => {
    const response = await forward(method, path, status, { 'cache-control': 'no-store' }, '');
    expect(response).toMatchObject({ status, body: '', headers: { 'cache-control': 'no-store' } });
    expect(response.headers).not.toHaveProperty('content-type');
    expect(response.headers['content-length']).toBe(status === 204 ? undefined : '0');
  });

  it('with a body keeps its content type, and HEAD has the length of GET', async () => {
    const path = '/o/acme/jwks';
    const got = await forward('GET', path, 200, { 'content-type': json }, '{"keys":[]}');
    expect(got).toMatchObject({ body: '{"keys":[]}', headers: { 'content-type': json, 'content-length': '11' } });
    const head = await forward('HEAD', path, 200, { 'content-type': json, 'content-length': '11' }, '');
    expect(head).toMatchObject({ body: '', headers: { 'content-type': json, 'content-length': '11' } });
  });
});
