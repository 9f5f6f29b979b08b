// One request, one record: who did what with which outcome, in order, without a gap and without a secret.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Action, AuditEvent } from '@holdfast/contracts';
import { requestToken, type CallOptions, type Client } from '../clients/client.ts';
import { closeConnections, exchange, type Problem, type Reply } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { times } from '../stack/parallel.ts';

const run = `r${randomUUID().slice(0, 8)}`;
/** What no log may contain, with a description. */
const secrets = new Map<string, string>();

let shop: Client;
let kiosk: Client;
let auditor: Client;
let stranger: Client;
beforeAll(async () => {
  const [here, there] = await Promise.all([
    newClients({ shop: {}, kiosk: {}, auditor: { kind: 'service', grants: ['audit:read', ...customerScopes] } }),
    newClients({ stranger: { kind: 'service', grants: ['audit:read'] } }),
  ]);
  ({ shop, kiosk, auditor } = here);
  stranger = there.stranger;
  for (const { app } of [shop, kiosk, auditor]) secrets.set(app.clientSecret, 'a client secret');
});
afterAll(closeConnections);

interface Expected {
  id: string;
  action: Action;
  result: 'success' | 'denied' | 'failure';
  status: number;
  code?: string;
  targets?: string[];
  erased?: boolean;
}

/** The requests of one app, good and bad, each with its own id, one after the other. */
async function script(client: Client, name: string): Promise<Expected[]> {
  const expected: Expected[] = [];
  const reader = client.with('issued:read');
  let counter = 0;
  async function step(
    action: Action,
    call: (options: CallOptions) => Promise<Reply<unknown>>,
    targets?: string[],
    headers: Record<string, string> = {},
  ): Promise<Reply<Record<string, string>>> {
    const id = `${run}.${name}.${(counter += 1)}`;
    const reply = (await call({ headers: { 'x-request-id': id, ...headers } })) as Reply<Record<string, string>>;
    const { status, body } = reply;
    const result =
      status < 400 ? 'success' : [401, 403].includes(status) || body?.error === 'invalid_scope' ? 'denied' : 'failure';
    const code = status < 400 ? undefined : (body?.code ?? body?.error);
    expected.push({ id, action, result, status, ...(code && { code }), ...(targets && { targets }) });
    return reply;
  }
  const offer = async (options: { key?: string; json?: unknown } = {}) => {
    const { body } = await step(
      'offer.create',
      (o) => client.offer(options.json ?? {}, o),
      undefined,
      options.key ? { 'idempotency-key': options.key } : {},
    );
    if (body.claimUrl) secrets.set(body.claimUrl.split('#')[1]!, 'a claim token');
    if (body.subject) expected.at(-1)!.targets = [body.subject];
    return body;
  };

  for (const scope of ['offers:write', 'nothing', 'roles:manage', '']) {
    const { body } = await step('token.issue', (o) => requestToken(stack, client.app, scope, o));
    if (body.access_token) secrets.set(body.access_token.split('.')[2]!, 'the signature of a token');
  }
  const key = `canary-key-${randomUUID()}`;
  secrets.set(key, 'an Idempotency-Key');
  const first = await offer();
  const second = await offer({ key });
  await offer({ key });
  await offer({ key, json: { offerExpiresIn: 900 } });
  await offer({ json: { email: 'canary@example.com' } });
  await offer({ json: { subject: first.subject } });
  await offer({ json: { subject: randomUUID() } });
  await step('offer.create', (o) =>
    client.offer(undefined, { ...o, body: '{"canary"', headers: { ...o.headers, 'content-type': 'application/json' } }),
  );
  await step('offer.create', (o) => reader.offer({}, o));
  for (const _ of times(3)) await step('subject.read', (o) => client.get(first.subject!, o), [first.subject!]);
  await step('subject.read', (o) => client.get(randomUUID(), o));
  await step('subject.read', (o) => client.get('canary@example.com', o));
  await step('subject.list', (o) => client.list('', o));
  await step('subject.list', (o) => client.list({ limit: '1', claimed: 'false' }, o));
  await step('subject.list', (o) => client.list('limit=0', o));
  await step('subject.list', (o) => client.list('email=canary@example.com', o));
  await step('subject.list', (o) => client.with('offers:write').list('', o));
  await step('subject.list', (o) => client.call('GET', '/o/acme/api/credentials/subjects', o));
  await step('subject.list', async (o) =>
    exchange({
      origin: stack.gateways[0]!,
      method: 'HEAD',
      path: `${client.api}/credentials/subjects`,
      headers: { ...o.headers, authorization: `Bearer ${await client.token()}` },
    }),
  );
  await step('offer.withdraw', (o) => client.withdraw(second.offerId!, o), [second.offerId!]);
  await step('offer.withdraw', (o) => client.withdraw(second.offerId!, o));
  await step('offer.withdraw', (o) => client.withdraw(randomUUID(), o));
  const third = await offer();
  await step('subject.erase', (o) => reader.erase(third.subject!, o));
  await step('subject.erase', (o) => client.erase(third.subject!, o), [third.subject!]);
  for (const entry of expected)
    if (entry.targets?.includes(third.subject!)) Object.assign(entry, { erased: true, targets: undefined });
  secrets.set(third.subject!, 'an erased customer');
  secrets.set(third.offerId!, "an erased customer's offer");
  await step('subject.erase', (o) => client.erase(third.subject!, o));
  await step('subject.read', (o) => client.get(third.subject!, o));
  await step('audit.list', (o) => client.audit('', o));
  return expected;
}

describe('a hundred requests of three apps', () => {
  let log: AuditEvent[];
  let expected: Map<Client, Expected[]>;
  beforeAll(async () => {
    const clients = [shop, kiosk, auditor];
    expected = new Map(await Promise.all(clients.map(async (c) => [c, await script(c, c.app.name)] as const)));
    secrets.set('canary@example.com', 'personal data in a body, a path and a query');
    log = await auditor.wholeLog();
  });

  const ours = () => [...expected.values()].flat();

  it('have at least nine kinds of outcome', () => {
    expect(ours().length).toBeGreaterThanOrEqual(99);
    expect(new Set(ours().map((e) => `${e.result} ${e.status}`)).size).toBeGreaterThanOrEqual(9);
  });

  it('are in the log once each, with their caller, outcome and targets', () => {
    for (const [client, calls] of expected) {
      for (const { id, action, result, status, code, targets } of calls) {
        const found = log.filter((e) => e.request.id === id);
        expect(
          found.map((e) => ({
            id,
            action: e.action,
            actor: e.actor,
            result: e.outcome.result,
            status: e.outcome.status,
            code: e.outcome.code,
          })),
        ).toEqual([
          { id, action, actor: { type: 'app', id: client.app.clientId, name: client.app.name }, result, status, code },
        ]);
        expect(found[0]!.targets.map((t) => t.id)).toEqual(expect.arrayContaining(targets ?? []));
      }
    }
  });

  it("are in the log in the order of each caller's sequential requests", () => {
    for (const calls of expected.values()) {
      const seqs = calls.map(({ id }) => log.find((e) => e.request.id === id)!.seq);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    }
  });

  it('have a seq from 1 on, without a gap', () => {
    expect(log.map((e) => e.seq)).toEqual(times(log.length).map((i) => log.length - i));
    expect(log.at(-1)).toMatchObject({ action: 'organization.create', actor: { type: 'operator' } });
    expect(new Set(log.map((e) => e.id)).size).toBe(log.length);
  });

  it('have the template of their route, and nothing of the path itself', () => {
    for (const e of log.filter((e) => e.request.route.startsWith('/o/'))) {
      expect(e.request.route).toMatch(/^\/o\/\{shortId\}\/api(\/[a-z]+|\/\{[A-Za-z]+\})+$/);
      expect(e.request.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
    }
  });

  it('keep their records after an erasure, with a pseudonym instead of the customer', () => {
    const erased = ours().filter((e) => e.erased);
    expect(erased.length).toBe(6);
    const targets = erased.map(
      ({ id }) => log.find((e) => e.request.id === id)!.targets.find((t) => t.type === 'customer')?.id,
    );
    for (const target of targets) expect(target).toBeDefined();
    expect(new Set(targets).size).toBe(3);
  });

  it.each<[string, (e: AuditEvent) => boolean, () => Record<string, string>]>([
    ['action', (e) => e.action === 'subject.read', () => ({ action: 'subject.read' })],
    ['actor', (e) => e.actor.id === kiosk.app.clientId, () => ({ actor: kiosk.app.clientId })],
    ['outcome', (e) => e.outcome.result === 'denied', () => ({ outcome: 'denied' })],
    ['target', (e) => e.targets.some((t) => t.id === someSubject()), () => ({ target: someSubject() })],
    ['the beginning of a period', (e) => e.occurredAt >= log[20]!.occurredAt, () => ({ from: log[20]!.occurredAt })],
    ['the end of a period', (e) => e.occurredAt < log[20]!.occurredAt, () => ({ to: log[20]!.occurredAt })],
    [
      'a period in another time zone',
      (e) => e.occurredAt >= log[30]!.occurredAt && e.occurredAt < log[10]!.occurredAt,
      () => ({
        from: new Date(Date.parse(log[30]!.occurredAt) + 72_000_000).toISOString().replace('Z', '+20:00'),
        to: log[10]!.occurredAt,
      }),
    ],
    [
      'several filters',
      (e) => e.action === 'subject.read' && e.actor.id === shop.app.clientId && e.outcome.result === 'failure',
      () => ({ action: 'subject.read', actor: shop.app.clientId, outcome: 'failure' }),
    ],
    ['an actor without records', () => false, () => ({ actor: 'app_AAAAAAAAAAAAAAAAAAAAAA' })],
    ['an unknown target', () => false, () => ({ target: randomUUID() })],
  ])('are found by %s', async (_, matches, query) => {
    const newest = log[0]!.seq;
    const found = await auditor.wholeLog({ limit: '7', ...query() });
    expect(found.filter((e) => e.seq <= newest)).toEqual(log.filter(matches));
  });

  const someSubject = () => expected.get(shop)!.find((e) => e.targets)!.targets![0]!;

  it.each([
    'action=nothing',
    'outcome=good',
    'from=yesterday',
    'from=0000-01-01T00:00:00Z',
    'to=9999-12-31T23:59:59-01:00',
    'to=1',
    'from=2026-01-01',
    'foo=bar',
    'limit=0',
    'action=subject.read&action=subject.list',
    `actor=${'a'.repeat(200)}`,
    'seq=1',
    'next_page_token=x',
  ])('cannot be filtered by %s, which is rejected with 400', async (query) => {
    expect((await auditor.audit<Problem>(query)).status).toBe(400);
  });

  it('can be read one by one, and each read is recorded', async () => {
    const event = log.find((e) => e.action === 'offer.create')!;
    const id = randomUUID();
    const { status, body } = await auditor.call<AuditEvent>('GET', `${auditor.api}/admin/audit/events/${event.id}`, {
      headers: { 'x-request-id': id },
    });
    expect(status).toBe(200);
    // wholeLog() has replaced the id that an erasure leaves by the one that the test chose.
    expect({ ...body, request: { ...body.request, id: event.request.id } }).toEqual(event);
    expect((await auditor.wholeLog({ target: event.id })).map((e) => [e.action, e.request.id])).toEqual([
      ['audit.read', id],
    ]);
    expect((await auditor.call('GET', `${auditor.api}/admin/audit/events/${randomUUID()}`)).body.code).toBe(
      'unknown_event',
    );
  });

  it('are invisible to another organization', async () => {
    const { body } = await stranger.audit();
    expect(body.items.every((e) => e.actor.type === 'operator' || e.actor.id === stranger.app.clientId)).toBe(true);
    expect(await stranger.wholeLog({ actor: shop.app.clientId })).toEqual([]);
    expect((await stranger.call('GET', `${stranger.api}/admin/audit/events/${log[0]!.id}`)).status).toBe(404);
  });

  it('leave no secret in the audit log or in the logs of the services', async () => {
    const everything = new Map([['the audit log', JSON.stringify(await auditor.wholeLog())]]);
    const folder = join(stack.home, 'logs');
    for (const file of readdirSync(folder)) everything.set(file, readFileSync(join(folder, file), 'utf8'));
    expect(everything.size).toBeGreaterThan(8);
    const found = [...everything].flatMap(([name, text]) =>
      [...secrets].filter(([secret]) => text.includes(secret)).map(([, what]) => `${what} in ${name}`),
    );
    expect(found).toEqual([]);
  });
});

describe('a request id that is used several times', () => {
  it('leaves a record of each request', async () => {
    const id = `${run}.twice`;
    const options = { headers: { 'x-request-id': id } };
    await shop.list('', options);
    await shop.list('', options);
    await shop.offer({}, options);
    await kiosk.offer({}, options);
    const found = (await auditor.wholeLog()).filter((e) => e.request.id === id);
    expect(found.map((e) => [e.action, e.actor.name])).toEqual([
      ['offer.create', 'kiosk'],
      ['offer.create', 'shop'],
      ['subject.list', 'shop'],
      ['subject.list', 'shop'],
    ]);
  });
});
