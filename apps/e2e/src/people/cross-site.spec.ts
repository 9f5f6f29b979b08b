// Requests that a page of another site makes a person's browser send, with the cookie of their hub session.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { closeConnections, exchange, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { HubUser } from './person.fixture.ts';

let owner: HubUser;
let org: string;
let requests: { method: string; path: string }[];
beforeAll(async () => {
  org = await stack.newOrganization();
  owner = await HubUser.make(org, ['owner']);
  const document = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as { paths: Record<string, object> };
  const id = '019aa5f2-0000-7000-8000-000000000000';
  requests = Object.entries(document.paths)
    .filter(([path]) => /^\/o\/\{shortId\}\/api\/(admin|credentials)\//.test(path))
    .flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => ({
          method: method.toUpperCase(),
          path: path.replace('{shortId}', org).replaceAll(/\{\w+\}/g, id),
        })),
    );
});
afterAll(closeConnections);

const send = ({ method, path }: { method: string; path: string }, headers: Record<string, string>) =>
  exchange<Problem>({
    origin: stack.baseUrl,
    method,
    path,
    headers: { cookie: owner.cookie, ...(method !== 'GET' && { 'content-type': 'application/json' }), ...headers },
    ...(method !== 'GET' && { body: '{}' }),
  });

const evil = 'https://evil.example';

it.each([
  ['another site', { origin: evil, 'sec-fetch-site': 'cross-site' }],
  ['a sibling domain', { origin: 'http://other.localhost:8080', 'sec-fetch-site': 'same-site' }],
  ['another site, by a browser that does not say so', { origin: evil }],
  ['a page without an origin', { origin: 'null' }],
  ['no page', {}],
])('every change with the cookie of a session is refused when it comes from %s', async (_, headers) => {
  const changes = requests.filter(({ method }) => method !== 'GET');
  expect(changes.length).toBeGreaterThan(80);
  const accepted: string[] = [];
  for (const request of changes) {
    const { status, body } = await send(request, headers);
    if (status !== 403 || body.code !== 'cross_site_request')
      accepted.push(`${request.method} ${request.path}: ${status} ${body.code}`);
  }
  expect(accepted).toEqual([]);
});

it('every read with the cookie of a session is refused to a page of another site', async () => {
  const reads = requests.filter(({ method }) => method === 'GET');
  expect(reads.length).toBeGreaterThan(50);
  for (const request of reads) {
    const { status, body, headers } = await send(request, { origin: evil, 'sec-fetch-site': 'cross-site' });
    expect([request.path, status, body.code, headers['access-control-allow-origin']]).toEqual([
      ...[request.path, 403, 'cross_site_request', undefined],
    ]);
  }
});

it('the hub cannot be framed, and its scripts and cookie are out of reach of others', async () => {
  const { headers } = await exchange({ origin: stack.baseUrl, path: `/hub/${org}/keys` });
  const policy = String(headers['content-security-policy']);
  for (const directive of ["frame-ancestors 'none'", "default-src 'none'", "script-src 'self'"])
    expect(policy).toContain(directive);
  expect(policy).not.toContain('unsafe');
  expect(policy).toContain("require-trusted-types-for 'script'");
});
