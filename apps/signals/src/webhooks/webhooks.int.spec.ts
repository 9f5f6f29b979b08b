import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listEvents,
  listWebhookAttempts,
  listWebhookEndpoints,
  pauseWebhookEndpoint,
  recoverWebhookEndpoint,
  resendWebhookMessage,
  resumeWebhookEndpoint,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  type CustomerEvent,
} from '@holdfast/contracts';
import { eventBase, eventually, testContext } from '@holdfast/testing';
import { closed, status, type ReceivedRequest } from '../audit-destinations/receiver.fixture.js';
import { WebhookPartitions } from './partitions.js';
import { offered, WebhooksStack } from './webhooks-stack.fixture.js';

const acme = () => testContext({ org: 'acme' });
const hourMs = 3_600_000;
const idsOf = (requests: readonly ReceivedRequest[]) => requests.map(({ headers }) => headers['webhook-id']);

describe('webhooks', () => {
  let stack: WebhooksStack;
  let path: string;
  beforeAll(async () => {
    stack = await WebhooksStack.start();
  });
  afterAll(() => stack.stop());
  beforeEach(() => {
    path = `/${randomUUID()}`;
  });
  afterEach(async () => {
    const { items } = await stack.bus.request(listWebhookEndpoints, {}, acme());
    for (const { id } of items) await stack.bus.request(deleteWebhookEndpoint, { id }, acme());
  });

  describe('an active endpoint', () => {
    it('gets each event as a CloudEvent, once, and only those of its organization', async () => {
      await stack.create(path);
      const event = offered();
      await stack.publish(event, event, offered({ org: 'other' }));
      const [request] = await stack.received(path);
      expect(request!.headers).toMatchObject({
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'webhook-id': event.id,
      });
      expect(JSON.parse(request!.body)).toEqual({
        specversion: '1.0',
        id: event.id,
        source: expect.stringMatching(/\/o\/acme$/) as never,
        type: 'offer.created',
        subject: event.subject,
        time: event.occurredAt,
        datacontenttype: 'application/json',
        sequence: expect.stringMatching(/^\d{15}$/) as never,
        version: 1,
        data: event.data,
      });
      await stack.afterAttempts(event.id, 1);
      await stack.publish(offered());
      await stack.received(path, 2);
      expect(stack.receiver.at(path)).toHaveLength(2);
    });

    it('gets only the types that it wants, with its own headers', async () => {
      await stack.create(path, { types: ['offer.withdrawn'], headers: { authorization: 'Bearer abc' } });
      const subject = randomUUID();
      await stack.publish(offered({ subject }), withdrawn(subject));
      const [request] = await stack.received(path);
      expect(JSON.parse(request!.body)).toMatchObject({ type: 'offer.withdrawn' });
      expect(request!.headers.authorization).toBe('Bearer abc');
    });

    it('gets no more than its rate limit in a second', async () => {
      await stack.create(path, { rateLimit: 2 });
      await stack.publish(...Array.from({ length: 5 }, () => offered()));
      const receivedPerSecond = [];
      for (let count = 0; count < 5; count = stack.receiver.at(path).length) {
        await stack.received(path, count + 1);
        stack.clock.advance(1000);
        receivedPerSecond.push(stack.receiver.at(path).length - count);
      }
      expect(Math.max(...receivedPerSecond)).toBeLessThanOrEqual(2);
    });

    it('gets a hundred events at once, each once, and shows them as delivered', async () => {
      const { id } = await stack.create(path);
      const events = Array.from({ length: 100 }, () => offered());
      await stack.publish(...events);
      const requests = await stack.received(path, 100);
      expect(new Set(idsOf(requests))).toEqual(new Set(events.map((event) => event.id)));
      const delivered = { endpoint: id, status: 'delivered' as const };
      await eventually(async () => expect((await stack.messages(delivered)).items).toHaveLength(100));
      expect((await stack.get(id)).waiting).toBe(0);
    });
  });

  describe('a message that is not confirmed', () => {
    it('is sent ten times over 75 hours with one id, and has failed then', async () => {
      const { id } = await stack.create(path);
      stack.receiver.answer(path, status(500, 'broken'));
      const event = offered();
      await stack.publish(event);
      for (let attempt = 1; attempt <= 10; attempt += 1) {
        const { history } = await stack.afterAttempts(event.id, attempt);
        expect(history).toHaveLength(attempt);
        expect(history.at(-1)).toMatchObject({ status: 500, response: 'broken' });
        stack.clock.advance(30 * hourMs);
      }
      expect(await stack.afterAttempts(event.id, 10)).toMatchObject({ status: 'failed' });
      expect(new Set(idsOf(stack.receiver.at(path)))).toEqual(new Set([event.id]));
      expect((await stack.messages({ status: 'failed' })).items.map((message) => message.id)).toContain(event.id);
      // The endpoint is written after its message.
      await eventually(async () => expect((await stack.get(id)).lastError).toMatchObject({ attempts: 10 }));
    });

    it('waits for as long as the receiver asks, and is sent when it is able to', async () => {
      await stack.create(path);
      stack.receiver.answer(path, status(503, '', { 'retry-after': '60' }), status(200));
      const event = offered();
      await stack.publish(event);
      const { nextAttemptAt, history } = await stack.afterAttempts(event.id, 1);
      expect(Date.parse(nextAttemptAt!) - Date.parse(history[0]!.at)).toBeGreaterThanOrEqual(60_000);
      stack.clock.advance(61_000);
      await stack.received(path, 2);
      expect(await stack.afterAttempts(event.id, 2)).toMatchObject({ status: 'delivered' });
    });

    it.each([
      ['a redirect', status(302, '', { location: 'http://169.254.169.254/' }), /redirects are not followed/],
      ['a broken connection', closed, /cannot be reached/],
    ])('because of %s is shown as failed, with why', async (_, respond, why) => {
      await stack.create(path);
      stack.receiver.answer(path, respond);
      const event = offered();
      await stack.publish(event);
      const { status: state, history } = await stack.afterAttempts(event.id, 1);
      expect(state).toBe('pending');
      expect(history[0]!.error).toMatch(why);
    });

    it('is sent again at once by request, also after its last attempt', async () => {
      const { id } = await stack.create(path);
      stack.receiver.answer(path, status(500), status(200));
      const event = offered();
      await stack.publish(event);
      await stack.afterAttempts(event.id, 1);
      const resent = await stack.bus.request(resendWebhookMessage, { id: event.id, endpoint: id }, acme());
      expect(resent.endpoints).toBe(1);
      expect(await stack.afterAttempts(event.id, 2)).toMatchObject({ status: 'delivered' });
    });
  });

  describe('a paused endpoint', () => {
    it('gets nothing, and in order what has happened meanwhile when it is resumed', async () => {
      const { id } = await stack.create(path);
      await stack.bus.request(pauseWebhookEndpoint, { id }, acme());
      const events = [];
      for (let i = 0; i < 20; i += 1) {
        events.push(offered());
        await stack.publish(events[i]!);
      }
      await eventually(async () => expect((await stack.get(id)).waiting).toBe(20));
      expect(stack.receiver.at(path)).toEqual([]);
      const { endpoint } = await stack.bus.request(resumeWebhookEndpoint, { id, skip: false }, acme());
      expect(endpoint).toMatchObject({ state: 'active', waiting: 20 });
      expect(idsOf(await stack.received(path, 20))).toEqual(events.map((event) => event.id));
      const later = offered();
      await stack.publish(later);
      expect(idsOf(await stack.received(path, 21)).at(-1)).toBe(later.id);
    });

    it('gets only later events when it skips, and the skipped ones by recovery', async () => {
      const { id } = await stack.create(path);
      await stack.bus.request(pauseWebhookEndpoint, { id }, acme());
      const [skipped, later] = [offered(), offered()];
      stack.clock.advance(1000);
      const since = stack.clock.now().toISOString();
      await stack.publish(skipped);
      await eventually(async () => expect((await stack.get(id)).waiting).toBe(1));
      await stack.bus.request(resumeWebhookEndpoint, { id, skip: true }, acme());
      await stack.publish(later);
      expect(idsOf(await stack.received(path))).toEqual([later.id]);
      const recovery = { since, onlyFailed: false };
      stack.clock.advance(1000);
      await eventually(async () => expect((await stack.get(id)).waiting).toBe(0));
      const found = await stack.bus.request(recoverWebhookEndpoint, { id, recovery }, acme());
      expect(found).toMatchObject({ messages: 2, hasMore: false });
      expect(new Set(idsOf(await stack.received(path, 3)))).toEqual(new Set([skipped.id, later.id]));
    });
  });

  describe('an endpoint whose receiver', () => {
    it('answers 410 is disabled at once, which the feed and the other endpoints say', async () => {
      const { id } = await stack.create(path);
      const other = `/${randomUUID()}`;
      await stack.create(other, { types: ['webhook_endpoint.disabled'] });
      stack.receiver.answer(path, status(410));
      const event = offered();
      await stack.publish(event);
      const [request] = await stack.received(other);
      expect(JSON.parse(request!.body)).toMatchObject({
        type: 'webhook_endpoint.disabled',
        data: { endpoint: id, cause: 'gone' },
      });
      expect(await stack.get(id)).toMatchObject({ state: 'disabled', disabledBecause: 'gone' });
      const feed = await stack.bus.request(listEvents, { limit: 200, types: ['webhook_endpoint.disabled'] }, acme());
      expect(feed.items.map(({ data }) => data.endpoint)).toContain(id);
      // The record is committed with the change, and appended afterwards.
      await eventually(() => {
        const records = stack.signals.audit.records.filter(({ action }) => action === 'webhook_endpoint.disable');
        expect(records.at(-1)?.targets).toEqual([{ type: 'webhook_endpoint', id }]);
        return Promise.resolve(true);
      });
      stack.receiver.answer(path, status(200));
      const missed = offered();
      await stack.publish(missed);
      await eventually(async () => expect((await stack.get(id)).waiting).toBeGreaterThanOrEqual(2));
      await stack.bus.request(resumeWebhookEndpoint, { id, skip: false }, acme());
      await eventually(() => Promise.resolve(idsOf(stack.receiver.at(path)).includes(missed.id)));
      expect(new Set(idsOf(stack.receiver.at(path)))).toContain(event.id);
    });
  });

  describe('a customer who is erased', () => {
    it('is in no message any more but the confirmation of the erasure', async () => {
      const subject = randomUUID();
      await stack.create(path);
      stack.receiver.answer(path, status(500));
      const event = offered({ subject });
      await stack.publish(event);
      await stack.afterAttempts(event.id, 1);
      stack.receiver.answer(path, status(200));
      await stack.publish(erasureStarted(subject), erased(subject));
      const requests = await stack.received(path, 2);
      expect(JSON.parse(requests[1]!.body)).toMatchObject({ type: 'subject.erased', subject });
      stack.clock.advance(100 * hourMs);
      const marker = offered();
      await stack.publish(marker);
      await stack.received(path, 3);
      expect(idsOf(stack.receiver.at(path)).filter((id) => id === event.id)).toHaveLength(1);
      const gone = stack.bus.request(listWebhookAttempts, { id: event.id }, acme());
      await expect(gone).rejects.toMatchObject({ code: 'unknown_webhook_message' });
      const rows = await stack.signals.tables.query<{ event: string }>('SELECT event FROM signals.webhook_delivery');
      expect(rows.map((row) => row.event)).not.toContain(event.id);
    });
  });

  describe('a test message', () => {
    it('is the sample of a type, marked as a test, with what the receiver answered', async () => {
      const { id } = await stack.create(path, { types: ['credential.revoked'] });
      stack.receiver.answer(path, status(403, 'no'));
      expect(await stack.bus.request(testWebhookEndpoint, { id }, acme())).toMatchObject({
        delivered: false,
        status: 403,
      });
      stack.receiver.answer(path, status(200));
      expect(await stack.bus.request(testWebhookEndpoint, { id }, acme())).toMatchObject({ delivered: true });
      expect(JSON.parse(stack.receiver.at(path)[1]!.body)).toMatchObject({ type: 'credential.revoked', test: true });
    });
  });

  describe('the endpoint of another organization', () => {
    it('is unknown in every request', async () => {
      const { id } = await stack.create(path);
      const other = testContext({ org: 'other' });
      const unknown = { code: 'unknown_webhook_endpoint' };
      for (const request of [
        stack.bus.request(getWebhookEndpoint, { id }, other),
        stack.bus.request(updateWebhookEndpoint, { id, changes: { description: 'x' } }, other),
        stack.bus.request(pauseWebhookEndpoint, { id }, other),
        stack.bus.request(resumeWebhookEndpoint, { id, skip: false }, other),
        stack.bus.request(testWebhookEndpoint, { id }, other),
        stack.bus.request(deleteWebhookEndpoint, { id }, other),
        stack.bus.request(
          recoverWebhookEndpoint,
          { id, recovery: { since: '2026-01-01T00:00:00.000Z', onlyFailed: true } },
          other,
        ),
      ])
        await expect(request).rejects.toMatchObject(unknown);
      expect((await stack.bus.request(listWebhookEndpoints, {}, other)).items).toEqual([]);
    });
  });

  describe('a deleted endpoint', () => {
    it('has no messages any more: none is shown, and their rows are deleted soon', async () => {
      const { id } = await stack.create(path);
      const event = offered();
      await stack.publish(event);
      await stack.afterAttempts(event.id, 1);
      await stack.bus.request(deleteWebhookEndpoint, { id }, acme());
      expect((await stack.messages()).items).toEqual([]);
      const unknown = stack.bus.request(resendWebhookMessage, { id: event.id }, acme());
      await expect(unknown).rejects.toMatchObject({ code: 'unknown_webhook_message' });
      await stack.signals.replicas[0]!.app.get(WebhookPartitions, { strict: false }).removeOrphans();
      const rows = await stack.signals.tables.query('SELECT FROM signals.webhook_delivery WHERE endpoint = $1', [id]);
      expect(rows).toEqual([]);
    });
  });

  describe('a change', () => {
    it('of the address to another origin needs the headers again', async () => {
      const { id } = await stack.create(path, { headers: { authorization: 'Bearer abc' } });
      const changes = { url: 'https://other.example/hook' };
      const moved = stack.bus.request(updateWebhookEndpoint, { id, changes }, acme());
      await expect(moved).rejects.toMatchObject({ code: 'invalid_request', errors: [{ pointer: '#/headers' }] });
      const withHeaders = { ...changes, headers: { authorization: 'Bearer def' } };
      const { endpoint } = await stack.bus.request(updateWebhookEndpoint, { id, changes: withHeaders }, acme());
      expect(endpoint).toMatchObject({ url: changes.url, headers: ['authorization'], version: 2 });
    });

    it('of an earlier version is refused', async () => {
      const { id } = await stack.create(path);
      const changes = { description: 'x' };
      await stack.bus.request(updateWebhookEndpoint, { id, changes, ifVersions: [1] }, acme());
      const stale = stack.bus.request(
        updateWebhookEndpoint,
        { id, changes: { description: 'y' }, ifVersions: [1] },
        acme(),
      );
      await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
    });

    it('to what it is already changes nothing', async () => {
      const { id } = await stack.create(path, { description: 'x' });
      const same = await stack.bus.request(updateWebhookEndpoint, { id, changes: { description: 'x' } }, acme());
      expect(same).toMatchObject({ changed: false, endpoint: { version: 1 } });
    });
  });

  it.each([
    'http://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[::1]/',
    'https://2130706433/',
    'https://localhost/',
  ])('an endpoint at %s is refused', async (url) => {
    const refused = stack.bus.request(createWebhookEndpoint, { endpoint: { url, signatures: ['v1'] } }, acme());
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', errors: [{ pointer: '#/url' }] });
  });

  it('an organization has 50 endpoints at most, however many are created at once', async () => {
    const all = await Promise.allSettled(Array.from({ length: 55 }, () => stack.create(path)));
    expect(all.filter((one) => one.status === 'fulfilled')).toHaveLength(50);
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'limit_reached' });
  });
});

function customerEvent(type: CustomerEvent['type'], subject: string, version: number, data?: object): CustomerEvent {
  return { ...eventBase(), id: randomUUID(), version, type, subject, ...(data && { data: data as never }) };
}
const withdrawn = (subject: string) =>
  customerEvent('offer.withdrawn', subject, 2, {
    ...{ subject, credentialId: randomUUID(), credentialType: 'customer', offerId: randomUUID() },
    cause: 'withdrawn',
  });
const erasureStarted = (subject: string) => customerEvent('subject.erasure_started', subject, 2);
const erased = (subject: string) => customerEvent('subject.erased', subject, 3, { subject });
