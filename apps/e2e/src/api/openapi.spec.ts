// The API reference against behavior: every operation is sent what a mistaken or foreign caller sends, and each
// response has to be one that the reference declares, with its status, media type, schema and headers.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationNames, receiverScopeNames } from '@holdfast/contracts';
import { referenceOf, requestToken, type Client } from '../clients/client.ts';
import { formOf, type Documented, type Reference } from '../clients/contract.ts';
import { closeConnections, exchange, type Reply } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const tooLarge = 'x'.repeat(200_000);
const nobody = '00000000-0000-4000-8000-000000000000';

let reference: Reference;
let shop: Client;
let admin: Client;
let receiver: Client;
beforeAll(async () => {
  const grants = operationNames.filter((name) => !customerScopes.includes(name));
  const clients = await newClients({
    shop: {},
    admin: { kind: 'service', grants },
    siem: { kind: 'receiver', grants: [] },
  });
  ({ shop, admin } = clients);
  receiver = clients.siem.with(...receiverScopeNames);
  reference = await referenceOf(stack);
});
afterAll(closeConnections);

const pathOf = ({ path }: Pick<Documented, 'path'>, org = shop.app.org): string =>
  path
    .replace('{shortId}', org)
    .replace(/\{\w*[cC]lient\w*\}/g, shop.app.clientId)
    .replace(/\{\w+\}/g, nobody);
const isGuarded = (operation: Documented): boolean => operation['x-operation'] !== undefined;
/** The app that can hold the operation; none when it is for people only. */
const callerOf = (operation: Documented): Client | undefined => {
  const [scope] = operation.scopes;
  if (scope === undefined) return undefined;
  return isOfReceivers(operation) ? receiver : customerScopes.includes(scope) ? shop : admin;
};
/** Their bodies may have members of later versions of the standard (SSF 1.0). */
const isOfReceivers = ({ scopes }: Documented): boolean =>
  scopes.some((scope) => (receiverScopeNames as string[]).includes(scope));

interface Probe {
  org?: string;
  authorization?: string | undefined;
  headers?: Record<string, string>;
  query?: string;
  body?: string;
}

function send(operation: Documented, { org, authorization, headers = {}, query = '', body }: Probe): Promise<Reply> {
  return exchange({
    origin: stack.gateways[0]!,
    method: operation.method,
    path: pathOf(operation, org) + query,
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    ...(body !== undefined && { body }),
  });
}

/** What is wrong with the response of each operation to a probe: not documented, or not one of the statuses. */
async function deviations(
  operations: Documented[],
  probeOf: (operation: Documented) => Probe | Promise<Probe>,
  statuses?: number[],
): Promise<string[]> {
  expect(operations.length).toBeGreaterThan(3);
  const found: string[] = [];
  for (const operation of operations) {
    const reply = await send(operation, await probeOf(operation));
    const wrong = reference.deviations(operation, reply);
    if (statuses && !statuses.includes(reply.status)) wrong.push(`instead of ${statuses.join(' or ')}`);
    if (wrong.length > 0)
      found.push(
        `${operation.method} ${operation.path}: ${reply.status} ${wrong.join('; ')} ${reply.text.slice(0, 300)}`,
      );
  }
  return found;
}

const guarded = () => reference.operations.filter(isGuarded);
const callable = () => guarded().filter((operation) => callerOf(operation));
const withBody = (operations: Documented[]) => operations.filter(({ requestBody }) => requestBody);
const bearer = async (operation: Documented) => `Bearer ${await callerOf(operation)!.token()}`;

describe('an operation that needs a token answers as documented', () => {
  it('401 without a token, and to one that is not genuine', async () => {
    expect(await deviations(guarded(), () => ({}), [401])).toEqual([]);
    expect(await deviations(guarded(), () => ({ authorization: 'Bearer x' }), [401])).toEqual([]);
  });

  it('403 for another organization, and without the operation', async () => {
    const ofAnother = async (operation: Documented) => ({ org: 'globex', authorization: await bearer(operation) });
    expect(await deviations(callable(), ofAnother, [403])).toEqual([]);
    const without = async (operation: Documented) => ({
      authorization: `Bearer ${await (callerOf(operation) === shop ? admin : shop).token()}`,
    });
    expect(await deviations(guarded(), without, [403])).toEqual([]);
  });

  it('400 to an unknown parameter', async () => {
    const unknown = async (operation: Documented) => ({ authorization: await bearer(operation), query: '?nonsense=1' });
    expect(await deviations(callable(), unknown, [400])).toEqual([]);
  });

  it('400, 413 and 415 to a body that cannot be read', async () => {
    const sent = (body: string, headers: Record<string, string>) => async (operation: Documented) => ({
      authorization: await bearer(operation),
      body,
      headers,
    });
    expect(await deviations(withBody(callable()), sent('{', json), [400])).toEqual([]);
    expect(await deviations(withBody(callable()), sent(tooLarge, json), [413])).toEqual([]);
    for (const headers of [{ 'content-type': 'text/plain' }, { ...json, 'content-encoding': 'gzip' }])
      expect(await deviations(withBody(callable()), sent('{}', headers), [415])).toEqual([]);
  });

  it('422 to a body with an unknown member, whose text is not the library’s', async () => {
    const unknown = async (operation: Documented) => ({
      authorization: await bearer(operation),
      body: '{"nonsense":1}',
      headers: json,
    });
    const strict = withBody(callable()).filter((operation) => !isOfReceivers(operation));
    expect(await deviations(strict, unknown, [422])).toEqual([]);
  });

  it('an error for objects that do not exist, and else what it promises', async () => {
    const plain = async (operation: Documented) => ({
      authorization: await bearer(operation),
      ...(operation.requestBody && { body: '{}', headers: json }),
    });
    expect(await deviations(callable(), plain)).toEqual([]);
  });
});

describe('a public operation answers as documented', () => {
  const open = () => reference.operations.filter((operation) => !isGuarded(operation));
  const ofOrganization = () => open().filter(({ path }) => path.includes('{shortId}'));
  const browser = { accept: 'text/html,*/*;q=0.8' };
  const contentOf = ({ requestBody }: Documented) =>
    requestBody && 'application/json' in requestBody.content
      ? { body: '{}', headers: json }
      : { body: 'a=b', headers: form };

  it.each<[string, (operation: Documented) => Probe]>([
    ['nothing', () => ({})],
    ['an unknown parameter', () => ({ query: '?nonsense=1' })],
    ['a parameter of a wrong form', () => ({ query: '?client_id=%00&redirect_uri=x&prompt=nonsense&max_age=x' })],
    ['an Authorization header of a wrong form', () => ({ headers: { authorization: 'Basic x' } })],
    ['a token that is not genuine', () => ({ headers: { authorization: 'Bearer x' } })],
  ])('to %s', async (_, probe) => {
    expect(await deviations(open(), probe)).toEqual([]);
  });

  it('to a browser, which gets a page in place of a problem', async () => {
    const found = await deviations(open(), () => ({ headers: browser }));
    expect(
      found.filter((text) => !/: 4\d\d content type text\/html; charset=utf-8 instead of .*problem\+json/.test(text)),
    ).toEqual([]);
  });

  it('to an organization that does not exist', async () => {
    const unknown = (operation: Documented) => ({
      org: 'nobody-here',
      ...(operation.requestBody && contentOf(operation)),
    });
    expect(await deviations(ofOrganization(), unknown)).toEqual([]);
  });

  it.each<[string, (operation: Documented) => Probe]>([
    ['a body with nothing useful', contentOf],
    ['a body that cannot be read', (operation) => ({ ...contentOf(operation), body: '{%' })],
    ['a body of another type', () => ({ body: 'x', headers: { 'content-type': 'text/plain' } })],
    ['a body that is too large', (operation) => ({ ...contentOf(operation), body: tooLarge })],
    [
      'another site',
      (operation) => ({
        ...contentOf(operation),
        headers: { ...contentOf(operation).headers, origin: 'https://evil.example' },
      }),
    ],
  ])('to %s', async (_, probe) => {
    expect(await deviations(withBody(open()), probe)).toEqual([]);
  });

  it('to a right request', async () => {
    const token = await requestToken(stack, shop.app, 'offers:write');
    const operation = reference.operations.find(({ path }) => path === '/oauth2/token')!;
    expect(reference.deviations(operation, token)).toEqual([]);
    expect(token.status).toBe(200);
  });
});

describe('a path', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'REPORT'];

  it('answers 405 to every other method, with each of its methods once in Allow', async () => {
    const paths = [...new Set(reference.operations.map(({ path }) => path))];
    const wrong: string[] = [];
    for (const path of paths) {
      const concrete = pathOf({ path });
      const routed = reference.operations.filter((o) => formOf(o.path).test(concrete));
      const declared = [...new Set(routed.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
      for (const method of methods.filter((name) => !declared.includes(name))) {
        const reply = await exchange({ origin: stack.gateways[0]!, method, path: concrete });
        const allow = reply.headers.allow?.split(', ') ?? [];
        const withoutPreflight = allow.filter((name) => name !== 'OPTIONS').sort();
        if (reply.status !== 405 || withoutPreflight.join() !== declared.sort().join())
          wrong.push(`${method} ${path}: ${reply.status} ${reply.headers.allow}, declared ${declared.join(', ')}`);
        if (reply.body?.code !== 'method_not_allowed') wrong.push(`${method} ${path}: ${reply.text}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
