// Following the audit log: a stream and long polls have every entry once, in order, whatever is killed meanwhile.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { LogFollower } from './log-follower.fixture.ts';

interface FollowedPage {
  items: AuditEvent[];
  hasMore: boolean;
  nextAfter: number;
}

let shop: Client;
let auditor: Client;
let withoutRight: Client;
let stranger: Client;
beforeAll(async () => {
  const [here, there] = await Promise.all([
    newClients({
      shop: {},
      auditor: { kind: 'service', grants: ['audit:read'] },
      withoutRight: { kind: 'service', grants: ['webhooks:manage'] },
    }),
    newClients({ stranger: { kind: 'service', grants: ['audit:read'] } }),
  ]);
  ({ shop, auditor, withoutRight } = here);
  stranger = there.stranger;
});
afterAll(closeConnections);

const poll = async (query: string, client = auditor) => {
  const reply = await client.call<FollowedPage>('GET', `${client.api}/admin/audit/events?order=asc&${query}`, {
    timeoutMs: 60_000,
  });
  expect(reply.status).toBe(200);
  return reply.body;
};
/** The end of the log, without a record of this request. */
const endOfLog = async (client = auditor) => {
  for (let after = 0; ;) {
    const page = await poll(`limit=200&after=${after}`, client);
    if (!page.hasMore) return page.nextAfter;
    after = page.nextAfter;
  }
};
const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

describe('the stream', () => {
  it('has the log from a place on and then each new entry, in order and once, with pseudonyms only', async () => {
    const { subject } = await newCustomer(shop);
    const follower = new LogFollower(auditor, 'after=0');
    await eventually(() => expect(follower.events.length).toBeGreaterThan(3));
    await shop.get(subject);
    await eventually(() => expect(follower.events.filter(({ action }) => action === 'subject.read')).toHaveLength(1));
    await follower.stop();
    expect(follower.seqs).toEqual(from(1, follower.seqs.length));
    expect(JSON.stringify(follower.events)).not.toContain(subject);
  });

  it('begins with what is appended from now on, and continues after Last-Event-ID', async () => {
    const end = await endOfLog();
    const follower = new LogFollower(auditor, '', { once: true });
    await eventually(() => expect(Number(follower.lastEventId)).toBeGreaterThanOrEqual(end));
    const begin = Number(follower.lastEventId);
    await shop.offer();
    await eventually(() => expect(follower.events.map(({ action }) => action)).toContain('offer.create'));
    await follower.stop();
    expect(follower.seqs[0]).toBe(begin + 1);

    const place = String(follower.seqs[0]);
    const later = new LogFollower(auditor, 'after=0', { once: true });
    later.lastEventId = place;
    await eventually(() => expect(later.events.length).toBeGreaterThan(0));
    await later.stop();
    expect(later.seqs[0]).toBe(Number(place) + 1);
  });

  it('has only what a filter matches', async () => {
    const follower = new LogFollower(auditor, 'after=0&action=offer.create');
    await shop.offer();
    await eventually(() => expect(follower.events.length).toBeGreaterThan(1));
    await follower.stop();
    expect(new Set(follower.events.map(({ action }) => action))).toEqual(new Set(['offer.create']));
  });

  it('names an erased customer as it did before the erasure', async () => {
    const { subject } = await newCustomer(shop);
    const { items } = await poll(`limit=200&target=${subject}`);
    const pseudonym = items.flatMap(({ targets }) => targets).find(({ id }) => id === subject)?.pseudonym;
    const follower = new LogFollower(auditor, `after=0&target=${pseudonym}`);
    await eventually(() => expect(follower.events.length).toBeGreaterThanOrEqual(items.length));
    expect((await shop.erase(subject)).status).toBe(204);
    await eventually(() => expect(follower.events.map(({ action }) => action)).toContain('subject.erase'));
    await follower.stop();
    for (const { targets } of follower.events) expect(targets.map(({ id }) => id)).toContain(pseudonym);
    expect(JSON.stringify(follower.events)).not.toContain(subject);
  });

  it('is refused without the right, to other organizations, and with a wrong place', async () => {
    const status = async (client: Client, query = '', headers = {}) =>
      (await client.call('GET', `/o/${auditor.app.org}/api/admin/audit/stream${query}`, { headers })).status;
    expect(await status(withoutRight)).toBe(403);
    expect(await status(stranger)).toBe(403);
    expect(await status(auditor, '?after=-1')).toBe(400);
    expect(await status(auditor, '?from=2026-11-21T00:00:00Z')).toBe(400);
    expect(await status(auditor, '', { 'last-event-id': 'x' })).toBe(400);
  });

  it('ends soon after its app is disabled, with the reason, and never begins again', async () => {
    const { reader } = await newClients({ reader: { kind: 'service', grants: ['audit:read'] } });
    const follower = new LogFollower(reader, 'after=0', { once: true });
    await eventually(() => expect(follower.events.length).toBeGreaterThan(0));
    await stack.operator('app', 'disable', reader.app.clientId);
    await follower.ended();
    expect(follower.ends).toEqual([
      { code: 'invalid_token', detail: expect.any(String), after: Number(follower.lastEventId) },
    ]);
  });

  it('is refused to one app more than twenty times at a gateway, and others are not concerned', async () => {
    const { eager } = await newClients({ eager: { kind: 'service', grants: ['audit:read'] } });
    const open = from(0, 20).map(() => new LogFollower(eager, '', { once: true }));
    await eventually(() => expect(open.every(({ lastEventId }) => lastEventId !== undefined)).toBe(true));
    const reply = await eager.call('GET', `${eager.api}/admin/audit/stream`, { gateway: 0 });
    expect(reply).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const other = new LogFollower(auditor, '', { once: true });
    await eventually(() => expect(other.lastEventId).toBeDefined());
    await Promise.all([other, ...open].map((follower) => follower.stop()));
  });

  it('has each entry once and in order while audit, a gateway and nats-server are killed', async () => {
    const follower = new LogFollower(auditor, `after=${await endOfLog()}`);
    let [count, stopped] = [0, false];
    const load = (async () => {
      while (!stopped) if ((await shop.offer().catch(() => undefined))?.status === 201) count += 1;
    })();
    for (const name of ['audit-1', 'gateway-2', 'nats']) {
      await stack.control('kill', name);
      const before = count;
      await eventually(() => count > before + 5);
    }
    stopped = true;
    await load;
    // Other tests use every gateway.
    await eventually(() => Promise.all(stack.gateways.map((_, gateway) => shop.get('x', { gateway }))));
    await eventually(() =>
      expect(follower.events.filter(({ action }) => action === 'offer.create').length).toBeGreaterThanOrEqual(count),
    );
    await follower.stop();
    expect(follower.seqs).toEqual(from(follower.seqs[0]!, follower.seqs.length));
  });
});

describe('holdfast audit tail', () => {
  it('prints the last entries, or those since a time, and is itself recorded once', async () => {
    const { org } = auditor.app;
    const { subject } = await newCustomer(shop);
    const [last] = (await auditor.call<FollowedPage>('GET', `${auditor.api}/admin/audit/events?limit=1`)).body.items;
    const print = async (...args: string[]) => {
      const { exitCode, stdout } = await stack.printed('audit', 'tail', org, '--no-follow', ...args);
      expect(exitCode).toBe(0);
      return stdout.trimEnd().split('\n');
    };
    const printed = await print('--lines', '5', '--json');
    const events = printed.map((line) => JSON.parse(line) as AuditEvent);
    expect(events.map(({ seq }) => seq)).toEqual(from(events[0]!.seq, events.length));
    expect(events.filter(({ action, actor }) => action === 'audit.follow' && actor.type === 'operator')).toHaveLength(
      1,
    );
    const since = await print('--since', last!.occurredAt);
    expect(since.length).toBeGreaterThanOrEqual(2);
    expect(since.join()).not.toContain(subject);
    expect((await stack.printed('audit', 'tail', 'no-such-organization', '--no-follow')).exitCode).toBe(1);
  });
});

describe('a poll in ascending order', () => {
  it('has the whole log page by page, with the pseudonyms of customers beside their ids', async () => {
    const { subject } = await newCustomer(shop);
    const found: AuditEvent[] = [];
    let place = 0;
    for (let hasMore = true; hasMore;) {
      const page = await poll(`limit=7&after=${place}`);
      found.push(...page.items);
      ({ hasMore, nextAfter: place } = page);
    }
    expect(found.map(({ seq }) => seq)).toEqual(from(1, place));
    const named = found.flatMap(({ targets }) => targets).filter(({ id }) => id === subject);
    expect(new Set(named.map(({ pseudonym }) => pseudonym)).size).toBe(1);
    expect(named[0]!.pseudonym).toMatch(/^[\w-]{22}$/);
  });

  it('waits for the next entry, and the log rests while nobody else does anything', async () => {
    const { quiet } = await newClients({ quiet: { kind: 'service', grants: ['audit:read'] } });
    // Each gateway records the first poll, and none of the following ones.
    for (const gateway of [0, 1]) await quiet.call('GET', `${quiet.api}/admin/audit/events?order=asc`, { gateway });
    const end = await endOfLog(quiet);
    expect(await poll(`after=${end}&wait=1`, quiet)).toEqual({ items: [], hasMore: false, nextAfter: end });
    expect(await poll(`after=${end}&wait=1`, quiet)).toEqual({ items: [], hasMore: false, nextAfter: end });
    const waiting = poll(`after=${end}&wait=20`, quiet);
    await quiet.with('audit:read').newToken();
    const { items, nextAfter } = await waiting;
    expect(items.map(({ seq, action }) => [seq, action])).toEqual([[end + 1, 'token.issue']]);
    expect(nextAfter).toBe(end + 1);
  });

  it('rejects what belongs to the other order', async () => {
    const status = async (query: string) =>
      (await auditor.call('GET', `${auditor.api}/admin/audit/events?${query}`)).status;
    expect(await status('after=3')).toBe(400);
    expect(await status('wait=3')).toBe(400);
    expect(await status('order=asc&next_page_token=x')).toBe(400);
    expect(await status('order=asc&wait=21')).toBe(400);
    expect(await status('order=up')).toBe(400);
  });
});
