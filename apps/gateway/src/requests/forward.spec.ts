import 'reflect-metadata';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idempotentCommand, query, uuid, type AuditTarget, type Contract } from '@holdfast/contracts';
import { http, type Caller, type Forwarded, type ForwardedInput } from '@holdfast/contracts/http';
import type { Bus } from '@holdfast/messaging';
import { AppError, systemClock } from '@holdfast/platform';
import type { HttpRequestContext } from '../edge/request-context.js';
import { ENDPOINT } from '../endpoints/route.js';
import { Forwarder, forwardingController } from './forward.js';
import { Resources } from './resources.js';

const id = '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10';
const other = '0b6c1d52-8f0e-4a39-9a35-6d3c1f5d7a11';
const thing = z.strictObject({ id: uuid, name: z.string(), version: z.int() });
const base = { tag: 'Things', summary: 'A thing', operation: 'apps:manage', action: 'app.read' } as const;
const at = '/o/{shortId}/things/{id}';
const target = (targetId: string) => ({ type: 'app' as const, id: targetId });

const get = http(
  query({
    service: 'directory',
    name: 'get-thing',
    callers: ['gateway'],
    request: z.strictObject({ id: uuid.describe('The thing') }),
    reply: thing,
    errors: ['unknown_app', 'unknown_organization'],
  }),
  {
    ...base,
    id: 'getThing',
    method: 'GET',
    path: at,
    versioned: true,
    response: 'The thing',
    targets: ({ params }, outcome) => (outcome ? [target(params.id), target(outcome.reply.name)] : [target(params.id)]),
  },
);
const list = http(
  query({
    service: 'directory',
    name: 'list-things',
    callers: ['gateway'],
    request: z.strictObject({
      id: uuid,
      q: z.string().optional(),
      limit: z.int(),
      after: z.strictObject({ id: uuid }).optional(),
    }),
    reply: z.strictObject({ items: z.array(thing), next: z.strictObject({ id: uuid }).optional() }),
  }),
  {
    ...base,
    id: 'listThings',
    method: 'GET',
    path: `${at}/all`,
    query: { q: z.string().optional() },
    response: 'A page of things',
    page: 'ThingPage',
    targets: ({ params }) => [target(params.id)],
  },
);
const change = http(
  idempotentCommand({
    service: 'directory',
    name: 'change-thing',
    callers: ['gateway'],
    request: z.strictObject({
      id: uuid,
      changes: z.strictObject({ name: z.string() }),
      mayManageGrants: z.boolean(),
      signedInRecently: z.boolean(),
      ifVersions: z.array(z.int()).optional(),
    }),
    reply: z.strictObject({ thing, changed: z.boolean() }),
  }),
  {
    ...base,
    id: 'changeThing',
    method: 'PATCH',
    path: at,
    stepUp: true,
    body: 'changes',
    versioned: true,
    response: 'The thing as it is now',
    member: 'thing',
    targets: ({ params }, outcome) => (outcome?.dataSubject ? [target(outcome.dataSubject)] : [target(params.id)]),
    location: { of: 'the thing', path: (_, reply) => `/things/${reply.thing.id}` },
  },
);
const byGateway = (targets: AuditTarget[], replayed = false) => ({ by: 'gateway', targets, replayed });
const stored = { id, name: 'A thing', version: 3 };

let sent: [subject: string, message: unknown][];
let replies: unknown[];
let headers: Record<string, unknown>;
let request: FastifyRequest & { requestContext: HttpRequestContext };
beforeEach(() => {
  sent = [];
  replies = [];
  headers = {};
  const claims = { org: 'acme', client_id: 'app_1', client_name: 'Shop', scope: 'apps:manage grants:manage' };
  request = {
    method: 'GET',
    headers: {},
    routeOptions: { url: '/o/:shortId/things/:id' },
    requestContext: { claims, recording: { by: 'unsaid' }, trace: {}, responseIds: { trace: {} } },
  } as never;
});
const reply = {
  header: (name: string, value: unknown) => void (headers[name] = value),
  type: (value: string) => void (headers['content-type'] = value),
} as unknown as FastifyReply;
const bus = {
  request: ({ subject }: Contract, message: unknown) => {
    sent.push([subject, message]);
    const next = replies.shift();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  },
} as unknown as Bus;
const resources = new Resources(bus, { PAGE_TOKEN_KEY: Buffer.alloc(32, 1) });
const forwarder = new Forwarder(bus, resources, systemClock);
const forward = (forwarded: Forwarded, input: Partial<ForwardedInput> = {}) =>
  forwarder.forward(
    forwarded,
    { params: { shortId: 'acme', id }, query: {}, body: undefined, ...input },
    request,
    reply,
  );

describe('a query', () => {
  it('is sent with the parameters, and its reply is the response with its version as ETag', async () => {
    replies = [stored];
    expect(await forward(get)).toEqual(stored);
    expect(sent).toEqual([['rpc.directory.get-thing', { id }]]);
    expect(headers).toEqual({ etag: '"3"' });
    expect(request.requestContext.recording).toEqual(byGateway([target(id), target('A thing')]));
  });

  it('that is refused has the targets that are known without a reply', async () => {
    replies = [new AppError('unknown_app')];
    await expect(forward(get)).rejects.toMatchObject({ code: 'unknown_app' });
    expect(request.requestContext.recording).toEqual(byGateway([target(id)]));
  });
});

describe('a list', () => {
  it('continues at the cursor of its page token, which holds for the same path and filter only', async () => {
    replies = [{ items: [stored], next: { id: other } }, { items: [] }];
    const query = { limit: 10, q: 'a' };
    const first = (await forward(list, { query })) as { nextPageToken: string };
    expect(first).toMatchObject({ items: [stored], hasMore: true });
    const further = { ...query, next_page_token: first.nextPageToken };
    expect(await forward(list, { query: further })).toEqual({ items: [], hasMore: false });
    expect(sent.map(([, message]) => message)).toEqual([
      { id, q: 'a', limit: 10 },
      { id, q: 'a', limit: 10, after: { id: other } },
    ]);
    for (const wrong of [{ params: { shortId: 'acme', id: other } }, { query: { ...further, q: 'b' } }])
      await expect(forward(list, { query: further, ...wrong })).rejects.toMatchObject({ code: 'invalid_page_token' });
    expect(sent).toHaveLength(2);
  });
});

describe('a command', () => {
  const input = { body: { name: 'B' }, idempotencyKey: 'key', ifVersions: [2] };

  it('gets the body as the declared member, the key, the versions and what the caller may do', async () => {
    replies = [{ thing: stored, changed: true }];
    request.requestContext.needsStepUp = true;
    expect(await forward(change, input)).toEqual(stored);
    const facts = { mayManageGrants: true, signedInRecently: false };
    expect(sent).toEqual([
      ['rpc.directory.change-thing', { id, changes: { name: 'B' }, idempotencyKey: 'key', ifVersions: [2], ...facts }],
    ]);
    expect(headers).toEqual({ etag: '"3"', location: `/things/${id}` });
    expect(request.requestContext.recording).toEqual({ by: 'handler' });
  });

  it('that has changed nothing is recorded by the gateway', async () => {
    replies = [{ thing: stored, changed: false }];
    await forward(change, input);
    expect(request.requestContext.recording).toEqual(byGateway([target(id)]));
  });

  it('that is repeated is marked, and recorded by the gateway with the data subject', async () => {
    replies = [{ thing: stored, changed: true, replayed: { subject: other } }];
    expect(await forward(change, input)).toEqual(stored);
    expect(headers).toMatchObject({ 'idempotency-replayed': 'true' });
    expect(request.requestContext.recording).toEqual(byGateway([target(other)], true));
  });

  it('that is refused is not taken for recorded', async () => {
    replies = [new AppError('app_protected')];
    await expect(forward(change, input)).rejects.toMatchObject({ code: 'app_protected' });
    expect(request.requestContext.recording).toEqual(byGateway([target(id)]));
  });
});

describe('the response', () => {
  const contract = query({
    service: 'audit',
    name: 'get-text',
    callers: ['gateway'],
    request: z.strictObject({ from: z.int(), to: z.int() }),
    reply: z.strictObject({ lines: z.array(z.string()), version: z.int() }),
  });
  const options = {
    ...base,
    id: 'getText',
    method: 'GET',
    path: '/o/{shortId}/text',
    request: ({ query: { from, to } }: { query: { from: string; to: string } }) => ({ from: +from, to: +to }),
    check: ({ from, to }: { from: number; to: number }) =>
      from > to ? [{ parameter: 'from', detail: 'must not be after `to`' }] : [],
    query: { from: z.string(), to: z.string() },
    response: 'Lines',
    targets: () => [],
  } as const;
  const of = ({ lines }: { lines: string[] }) => `${lines.join('\n')}\n`;
  const either = http(contract, { ...options, text: { of, example: 'a\n' } } as never);
  const always = http(contract, { ...options, text: { of, example: 'a\n', only: true } } as never);
  const found = { lines: ['a', 'b'], version: 3 };
  const input = { params: { shortId: 'acme' }, query: { from: '1', to: '2' } };
  beforeEach(() => {
    replies = [found];
  });

  it('is 400 for parameters that contradict each other, and nothing is sent', async () => {
    const wrong = forward(either, { ...input, query: { from: '2', to: '1' } });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_request', errors: [{ parameter: 'from' }] });
    expect(sent).toEqual([]);
  });

  it('is JSON unless the caller prefers text, and says that it depends on that', async () => {
    expect(await forward(either, input)).toEqual(found);
    expect(headers).toEqual({ vary: 'Accept' });
  });

  it('is text for a caller that prefers it', async () => {
    request.headers.accept = 'text/plain';
    expect(await forward(either, input)).toBe('a\nb\n');
    expect(headers).toEqual({ vary: 'Accept', 'content-type': 'text/plain; charset=utf-8' });
  });

  it('is text for everybody where there is nothing else', async () => {
    expect(await forward(always, input)).toBe('a\nb\n');
    expect(headers).toEqual({ 'content-type': 'text/plain; charset=utf-8' });
  });
});

describe('who calls', () => {
  const callers: Caller[] = [];
  const own = http(
    get.contract as never,
    {
      ...base,
      id: 'getOwn',
      method: 'GET',
      path: '/o/{shortId}/own',
      response: 'x',
      request: (_: unknown, caller: Caller) => (callers.push(caller), { id }),
      targets: () => [],
    } as never,
  );

  it('is an app or a person, with the operations of the token', async () => {
    replies = [stored, stored];
    await forward(own);
    request.requestContext.claims = { org: 'acme', sub: other, scope: 'users:read', person_version: 1 } as never;
    await forward(own);
    expect(callers).toEqual([
      { type: 'app', id: 'app_1', operations: ['apps:manage', 'grants:manage'], signedInRecently: true },
      { type: 'person', id: other, operations: ['users:read'], signedInRecently: true },
    ]);
  });
});

describe('a declaration', () => {
  it('has the errors of the contract, and those that its headers and parameters bring', () => {
    expect(get.endpoint.errors).toEqual(['unknown_app']);
    expect(list.endpoint.errors).toEqual(['invalid_page_token']);
    expect(new Set(change.endpoint.errors)).toEqual(
      new Set([
        'step_up_required',
        'idempotency_mismatch',
        'idempotency_in_progress',
        'conflict',
        'precondition_failed',
      ]),
    );
  });

  it('is refused when its path has a parameter that the contract has not', () => {
    const options = { ...base, id: 'x', method: 'GET', response: 'x', targets: () => [] } as const;
    expect(() => http(get.contract as never, { ...options, path: '/o/{shortId}/things/{name}' })).toThrow(
      "The contract's request has no member name",
    );
  });

  it('takes what the path names from the path, also when the body has a member of this name', async () => {
    const renamed = idempotentCommand({
      service: 'directory',
      name: 'rename-thing',
      callers: ['gateway'],
      request: z.strictObject({ id: uuid, name: z.string() }),
      reply: z.strictObject({}),
    });
    const body = z.strictObject({ id: uuid.optional(), name: z.string() });
    const options = { ...base, id: 'renameThing', method: 'POST', path: at, response: 'x', body } as const;
    replies = [{}];
    await forward(http(renamed, { ...options, targets: () => [] }), { body: { id: other, name: 'B' } });
    expect(sent).toEqual([['rpc.directory.rename-thing', { id, name: 'B' }]]);
  });

  it('is served by one method of the controller', () => {
    const { prototype } = forwardingController([get, change]) as { prototype: Record<string, object> };
    expect(Reflect.getMetadata(ENDPOINT, prototype.getThing!)).toBe(get.endpoint);
    expect(Reflect.getMetadata(ENDPOINT, prototype.changeThing!)).toBe(change.endpoint);
    const args = Reflect.getMetadata(ROUTE_ARGS_METADATA, prototype.constructor, 'getThing') as object;
    expect(
      Object.values(args)
        .map(({ index }: { index: number }) => index)
        .sort(),
    ).toEqual([0, 1, 2]);
  });
});
