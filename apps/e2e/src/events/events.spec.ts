// The event feed: every change once, in order, with ids only, readable from any earlier page token on.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublicEvent } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { FeedReader } from '../chaos/feed-reader.ts';
import type { Client, Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { newClients } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';

let shop: Client;
let reader: Client;
let other: Client;
let stranger: Client;
beforeAll(async () => {
  const [here, there] = await Promise.all([
    newClients({
      shop: {},
      reader: { kind: 'service', grants: ['webhooks:manage', 'audit:read'] },
      other: { kind: 'service', grants: ['webhooks:manage'] },
    }),
    newClients({ stranger: { kind: 'service', grants: ['webhooks:manage'] } }),
  ]);
  ({ shop, reader, other } = here);
  stranger = there.stranger;
});
afterAll(closeConnections);

const feed = <Body = Page<PublicEvent>>(query = '', client = reader) =>
  client.call<Body>('GET', `${client.api}/admin/events${query}`);
const ofSubject = (events: PublicEvent[], subject: string) => events.filter((e) => e.data.subject === subject);

/** The events of a customer, as soon as there are `count` of them. */
async function eventsOf(subject: string, count: number): Promise<PublicEvent[]> {
  return eventually(async () => {
    const found = ofSubject(await new FeedReader(reader).read(), subject);
    expect(found.length).toBeGreaterThanOrEqual(count);
    return found;
  });
}

describe('the changes of a customer', () => {
  it('are events in order, once each, with ids and states and nothing else', async () => {
    const { subject } = await newCustomer(shop);
    const { body } = await shop.get(subject);
    const [{ id: credentialId, expiresAt } = { id: '', expiresAt: '' }] = body.credentials;
    const change = async (transition: 'suspend' | 'resume' | 'revoke') =>
      expect((await shop.manage(transition, credentialId, 'stolen_bag')).status).toBe(200);
    await change('suspend');
    await change('resume');
    const { body: recovery } = await shop.offer({ subject });
    await change('revoke');

    const events = await eventsOf(subject, 7);
    expect(events.map((e) => [e.type, e.version])).toEqual([
      ['offer.created', 1],
      ['credential.issued', 2],
      ['credential.suspended', 3],
      ['credential.resumed', 4],
      ['offer.created', 5],
      ['offer.withdrawn', 6],
      ['credential.revoked', 7],
    ]);
    const ids = { subject, credentialId, credentialType: 'customer' };
    expect(events[1]!.data).toEqual({ ...ids, expiresAt });
    expect(events[2]!.data).toEqual(ids);
    expect(events[5]!.data).toEqual({ ...ids, offerId: recovery.offerId, cause: 'credential' });
    expect(JSON.stringify(events)).not.toContain('stolen_bag');
  });

  it('are removed by an erasure, except subject.erased, and earlier page tokens stay valid', async () => {
    const { body } = await shop.offer();
    await eventsOf(body.subject, 1);
    const follower = new FeedReader(reader);
    await follower.read();
    await shop.erase(body.subject);
    const [erased, ...others] = await eventually(async () => {
      const read = ofSubject(await follower.read(), body.subject);
      return read.length > 0 && read;
    });
    expect(erased).toMatchObject({ type: 'subject.erased', version: 2, data: { subject: body.subject } });
    expect(others).toEqual([]);
    expect((await eventsOf(body.subject, 1)).map((e) => e.type)).toEqual(['subject.erased']);
  });
});

describe('the feed', () => {
  it('has every event once, in pages of any size, and always a page token', async () => {
    for (let i = 0; i < 5; i += 1) await shop.offer();
    const whole = await eventually(async () => {
      const read = await new FeedReader(reader).read();
      return read.length > 10 && read;
    });
    const paged: PublicEvent[] = [];
    let pageToken = '';
    for (let more = true; more;) {
      const { body } = await feed(`?limit=3${pageToken && `&next_page_token=${pageToken}`}`);
      paged.push(...body.items);
      [pageToken, more] = [body.nextPageToken!, body.hasMore];
    }
    expect(paged.slice(0, whole.length)).toEqual(whole);
    const { status, body } = await feed(`?next_page_token=${pageToken}`);
    expect([status, body.items, body.hasMore, typeof body.nextPageToken]).toEqual([200, [], false, 'string']);
  });

  it('can be filtered by types', async () => {
    const { body } = await feed('?types=app.created,subject.erased&limit=200');
    expect(new Set(body.items.map((e) => e.type))).toEqual(new Set(['app.created', 'subject.erased']));
    expect(body.items.map((e) => e.data.app)).toEqual(
      expect.arrayContaining([shop, reader, other].map((c) => c.app.clientId)),
    );
  });

  it.each([
    '?types=',
    '?types=offer.created,nonsense',
    '?types=organization.updated',
    '?types=offer.created&types=app.created',
    '?limit=0',
    '?limit=201',
    '?after=1',
    '?next_page_token=x',
  ])('rejects %s with 400', async (query) => {
    const { status, body } = await feed<Problem>(query);
    expect([status, body.code]).toEqual([400, query.includes('token') ? 'invalid_page_token' : 'invalid_request']);
  });

  it('rejects a page token of another app or of other types', async () => {
    const { body } = await feed('?types=app.created');
    const pageToken = `next_page_token=${body.nextPageToken!}`;
    const attempts = [
      feed<Problem>(`?${pageToken}`),
      feed<Problem>(`?types=app.updated&${pageToken}`),
      feed<Problem>(`?types=app.created&${pageToken}`, other),
      feed<Problem>(`?types=app.created&${pageToken}`, stranger),
    ];
    for (const attempt of await Promise.all(attempts))
      expect([attempt.status, attempt.body.code]).toEqual([400, 'invalid_page_token']);
    expect((await feed(`?types=app.created&${pageToken}`)).status).toBe(200);
  });

  it('requires the operation in the own organization, and records each read', async () => {
    expect((await feed<Problem>('', reader.with('audit:read'))).body.code).toBe('insufficient_scope');
    expect((await reader.call('GET', `${stranger.api}/admin/events`)).body.code).toBe('wrong_organization');
    expect((await feed('', stranger)).body.items.every((e) => e.type.startsWith('app.'))).toBe(true);
    const id = `feed-${randomUUID()}`;
    await reader.call('GET', `${reader.api}/admin/events`, { headers: { 'x-request-id': id } });
    const [record] = (await reader.wholeLog({ action: 'event.list' })).filter((e) => e.request.id === id);
    expect(record).toMatchObject({ actor: { id: reader.app.clientId }, outcome: { result: 'success', status: 200 } });
  });
});
