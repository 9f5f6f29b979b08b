// Who may call which endpoint: every endpoint of the API reference that needs an operation, by every caller.
import { beforeAll, expect, it } from '@jest/globals';
import { operationsOf, receiverScopeNames, roleNames, type Role } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { referenceOf, type Client } from '../clients/client.ts';
import type { Documented } from '../clients/contract.ts';
import { exchange, type Problem } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { newPerson, signInToHub, type Person } from '../people/person.fixture.ts';
import { inParallel } from '../stack/parallel.ts';

type Endpoint = Documented & { 'x-operation': string; 'x-person-operation'?: string };
/** How a caller identifies itself, and the operations that it holds. */
interface Caller {
  name: string;
  /** Roles can divide what one scope of an app allows. */
  isPerson?: true;
  headers: Record<string, string>;
  operations: readonly string[];
  /** The response to everything, for a caller who may do nothing. */
  always?: string;
}

let org: string;
let endpoints: Endpoint[];
let callers: Caller[];

/** With a parameter that no endpoint has: what the guard lets pass is refused before anything is done. */
async function outcomeOf({ method, path }: Endpoint, { headers }: Caller): Promise<string> {
  const filled = path
    .replace('{shortId}', org)
    .replace('{clientId}', `app_${'a'.repeat(22)}`)
    .replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const gateway = stack.gateways[0]!;
  const { status, body } = await exchange<Problem | undefined>({
    origin: gateway,
    method,
    path: `${filled}?no_such_parameter=1`,
    headers: { origin: new URL(stack.baseUrl).origin, ...headers },
  });
  return `${status} ${body?.code ?? ''}`;
}

async function cookieOf(person: Person): Promise<Record<string, string>> {
  const { agent } = await signInToHub(person);
  const cookie = agent.cookies.find(({ name }) => name.endsWith(`${person.org}-hub`))!;
  return { cookie: `${cookie.name}=${cookie.value}` };
}

async function tokenOf(client: Client, ...scopes: string[]): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await client.with(...scopes).newToken()}` };
}

beforeAll(async () => {
  const reference = await referenceOf(stack);
  endpoints = (reference.operations as Endpoint[]).filter((one) => one['x-operation'] !== undefined);
  const ofReceivers: readonly string[] = receiverScopeNames;
  const appOperations = [
    ...new Set(endpoints.filter(({ scopes }) => scopes.length > 0).map((one) => one['x-operation'])),
  ].filter((operation) => !ofReceivers.includes(operation));
  const {
    robot,
    shop,
    siem,
    off: disabled,
  } = await newClients({
    robot: { kind: 'service', grants: appOperations },
    off: { kind: 'service', grants: appOperations },
    shop: {},
    siem: { kind: 'receiver', grants: [] },
  });
  ({ org } = robot.app);
  const elsewhere = await newClients({ robot: { kind: 'service', grants: appOperations } });
  const [stranger, leaver] = [await newPerson(elsewhere.robot.app.org, ['owner']), await newPerson(org, ['owner'])];
  callers = [
    { name: 'nobody', headers: {}, operations: [], always: '401 missing_token' },
    { name: 'a customer app', headers: await tokenOf(shop, ...shop.app.scopes), operations: shop.app.scopes },
    {
      name: 'an app of another organization',
      headers: await tokenOf(elsewhere.robot, ...appOperations),
      operations: [],
      always: '403 wrong_organization',
    },
    {
      name: 'a disabled app',
      headers: await tokenOf(disabled, ...appOperations),
      operations: [],
      always: '401 invalid_token',
    },
    { name: 'an owner elsewhere', headers: await cookieOf(stranger), operations: [], always: '401 missing_token' },
    { name: 'a deactivated owner', headers: await cookieOf(leaver), operations: [], always: '401 invalid_token' },
  ];
  // Who manages its streams reads them too.
  callers.push(
    { name: 'a receiver that reads', headers: await tokenOf(siem, 'ssf.read'), operations: ['ssf.read'] },
    { name: 'a receiver', headers: await tokenOf(siem, 'ssf.manage'), operations: receiverScopeNames },
  );
  for (const operation of appOperations)
    callers.push({ name: operation, headers: await tokenOf(robot, operation), operations: [operation] });
  for (const roles of [[], ...roleNames.map((role) => [role])] as Role[][])
    callers.push({
      name: roles[0] ?? 'a person without roles',
      isPerson: true,
      headers: await cookieOf(await newPerson(org, roles)),
      operations: operationsOf(roles),
    });
  await stack.operator('app', 'disable', disabled.app.clientId);
  await stack.operator('person', 'deactivate', org, leaver.id);
  await eventually(async () => {
    const [endpoint] = endpoints;
    const outcomes = await Promise.all(
      callers.filter(({ always }) => always).map((caller) => outcomeOf(endpoint!, caller)),
    );
    return outcomes.every((outcome, i) => outcome === callers.filter(({ always }) => always)[i]!.always);
  });
});

it('lets each caller do what its operations allow, and nothing else', async () => {
  expect(endpoints.length).toBeGreaterThan(20);
  const cases = endpoints.flatMap((endpoint) => callers.map((caller) => ({ endpoint, caller })));
  const wrong = await inParallel(cases, 16, async ({ endpoint, caller }) => {
    const ofPeople = caller.isPerson && endpoint['x-person-operation'];
    const operation = ofPeople || endpoint['x-operation'];
    const allowed = caller.operations.includes(operation);
    const expected = caller.always ?? (allowed ? '400 invalid_request' : '403 insufficient_scope');
    const outcome = await outcomeOf(endpoint, caller);
    return outcome === expected
      ? []
      : [`${endpoint.method} ${endpoint.path} (${operation}) by ${caller.name}: ${outcome}, not ${expected}`];
  });
  expect(wrong.flat()).toEqual([]);
});

it('requires an operation of every endpoint of the Admin API', async () => {
  const { operations } = await referenceOf(stack);
  const admin = (operations as Partial<Endpoint>[]).filter(({ path }) => path!.startsWith('/o/{shortId}/api/admin/'));
  expect(admin.length).toBeGreaterThan(50);
  expect(admin.filter((one) => !one['x-operation']).map(({ path }) => path)).toEqual([]);
});
