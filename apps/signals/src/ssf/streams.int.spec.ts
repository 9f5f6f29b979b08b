// Streams of security events: what receivers do with them (SSF 1.0 §8), and what they get by push and poll.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  changeStreamSubject,
  deleteOwnStream,
  deliveryMethods,
  eventUrisFor,
  getOwnStreamStatus,
  listOwnStreams,
  securityEvents,
  setOwnStreamStatus,
  updateOwnStream,
  updateTransmitterSettings,
  verifyStream,
} from '@holdfast/contracts';
import { eventBase, eventually, testContext } from '@holdfast/testing';
import { closed, status, type ReceivedRequest } from '../audit-destinations/receiver.fixture.js';
import { WebhooksStack } from '../webhooks/webhooks-stack.fixture.js';
import { TokenPartitions } from './partitions.js';
import { StreamPauses } from './stream-pauses.js';
import { nameOf, TestCustomer, TestReceiver, verified, type TokenClaims } from './streams-stack.fixture.js';

const dayMs = 86_400_000;
let stack: WebhooksStack;
beforeAll(async () => {
  stack = await WebhooksStack.start();
});
afterAll(() => stack.stop());

const newPath = () => `/${randomUUID()}`;
const claimsOf = async ({ body }: ReceivedRequest) => (await verified(body)).payload;
const claimsAt = async (path: string) => Promise.all(stack.receiver.at(path).map(claimsOf));
/** What a poll returns, in order. */
const polled = async (receiver: TestReceiver, id: string, poll = {}): Promise<TokenClaims[]> => {
  const { sets } = await receiver.poll(id, poll);
  return Promise.all(Object.values(sets).map(async (token) => (await verified(token)).payload));
};
const untilPolled = (receiver: TestReceiver, id: string, count: number) =>
  eventually(async () => {
    const found = await polled(receiver, id);
    return found.length >= count && found;
  });
const ofService = <Provider>(type: abstract new (...args: never[]) => Provider): Provider =>
  stack.signals.replicas[0]!.app.get(type as never, { strict: false });
/** Partitions are made by the hour, and a test that moves the clock by weeks does not wait for it. */
const advanceDays = async (days: number) => {
  stack.clock.advance(days * dayMs);
  await ofService(TokenPartitions).makeNext();
};
const suspend = async (receiver: TestReceiver) => {
  const customer = new TestCustomer(receiver.org);
  const events = [
    customer.next('offer.created'),
    customer.next('credential.issued'),
    customer.next('credential.suspended', 0),
  ];
  await stack.publish(...events);
  return { customer, events };
};

describe('a receiver', () => {
  it('makes a stream, reads, changes and deletes it, and sees what it may get', async () => {
    const receiver = new TestReceiver(stack);
    const created = await receiver.create({ events_requested: [securityEvents['session-revoked'].uri, 'urn:unknown'] });
    const { stream_id: id } = created;
    expect(created).toEqual({
      stream_id: id,
      iss: expect.stringMatching(new RegExp(`/o/${receiver.org}$`)) as never,
      aud: receiver.clientId,
      events_supported: eventUrisFor('customers'),
      events_requested: [securityEvents['session-revoked'].uri, 'urn:unknown'],
      events_delivered: [securityEvents['session-revoked'].uri],
      delivery: { method: deliveryMethods.poll, endpoint_url: `${created.iss}/ssf/streams/${id}/poll` },
      min_verification_interval: 30,
      inactivity_timeout: 2_592_000,
    });
    const list = (given = {}) => stack.bus.request(listOwnStreams, given, receiver.context);
    expect((await list()).items).toEqual([created]);
    expect((await list({ stream_id: id })).items).toEqual([created]);
    const change = (stream: object, replaces = false) =>
      stack.bus.request(updateOwnStream, { stream: { stream_id: id, ...stream }, replaces }, receiver.context);
    const delivery = { method: deliveryMethods.push, endpoint_url: `${stack.receiver.origin}/x` };
    expect((await change({ ...created, description: 'SIEM', delivery })).stream).toMatchObject({
      description: 'SIEM',
      delivery,
      events_delivered: created.events_delivered,
    });
    expect((await change({ delivery }, true)).stream).toEqual({
      ...{ stream_id: id, iss: created.iss, aud: created.aud, events_supported: created.events_supported, delivery },
      ...{ events_delivered: eventUrisFor('customers'), min_verification_interval: 30 },
    });
    await expect(change({ aud: 'somebody' })).rejects.toMatchObject({ code: 'invalid_request' });
    await stack.bus.request(deleteOwnStream, { stream_id: id }, receiver.context);
    await expect(list({ stream_id: id })).rejects.toMatchObject({ code: 'unknown_stream' });
    expect((await list()).items).toEqual([]);
  });

  it('reaches its own streams only, and has five at most', async () => {
    const receiver = new TestReceiver(stack);
    const stranger = new TestReceiver(stack, { org: receiver.org });
    const { stream_id } = await receiver.create();
    for (const contract of [listOwnStreams, getOwnStreamStatus, deleteOwnStream])
      await expect(stack.bus.request(contract, { stream_id }, stranger.context)).rejects.toMatchObject({
        code: 'unknown_stream',
      });
    await expect(stranger.poll(stream_id)).rejects.toMatchObject({ code: 'unknown_stream' });
    for (let i = 1; i < 5; i += 1) await receiver.create();
    await expect(receiver.create()).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('cannot have tokens sent to an address that is not public', async () => {
    const receiver = new TestReceiver(stack);
    for (const endpoint_url of [
      'https://169.254.169.254/x',
      'https://[::1]/',
      'http://receiver.example/',
      'https://10.0.0.1/',
    ])
      await expect(receiver.create({ delivery: { method: deliveryMethods.push, endpoint_url } })).rejects.toMatchObject(
        { code: 'invalid_request' },
      );
  });
});

describe('a stream that is pushed', () => {
  it('gets each event once as a token for its receiver, in order for a subject', async () => {
    const receiver = new TestReceiver(stack);
    const path = newPath();
    stack.receiver.answer(path, status(202));
    await receiver.pushed(path, {}, 'Bearer secret');
    const { customer, events } = await suspend(receiver);
    await stack.received(path, 4);
    const requests = stack.receiver.at(path);
    expect(requests[0]!.headers).toMatchObject({
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
      authorization: 'Bearer secret',
    });
    const all = await claimsAt(path);
    expect(all.map(nameOf)).toEqual(['credential-change', 'credential-change', 'session-revoked', 'account-disabled']);
    for (const claims of all) {
      expect(claims.aud).toBe(receiver.clientId);
      expect(claims.sub_id).toMatchObject({ format: 'iss_sub', sub: customer.subject });
      expect(claims).not.toHaveProperty('sub');
      expect(claims).not.toHaveProperty('exp');
    }
    expect(all.map(({ txn }) => txn)).toEqual([1, 2, 2, 2].map((i) => events[i]!.audit?.id ?? events[i]!.id));
    expect(new Set(all.map(({ jti }) => jti)).size).toBe(4);
  });

  it('sends the same token again after failures, and nothing else about the subject before it', async () => {
    const receiver = new TestReceiver(stack);
    const path = newPath();
    stack.receiver.answer(path, status(500), closed, status(202));
    await receiver.pushed(path);
    await suspend(receiver);
    for (const count of [1, 2, 3]) {
      await stack.received(path, count);
      await new Promise((resolve) => setTimeout(resolve, 100));
      stack.clock.advance(60_000);
    }
    await stack.received(path, 6);
    const jtis = (await claimsAt(path)).map(({ jti }) => jti);
    expect(new Set(jtis.slice(0, 3)).size).toBe(1);
    expect(new Set(jtis).size).toBe(4);
  });

  it('does not repeat what the receiver rejects, and goes on', async () => {
    const receiver = new TestReceiver(stack);
    const path = newPath();
    stack.receiver.answer(path, status(400, { err: 'invalid_audience', description: 'no' }), status(202));
    await receiver.pushed(path);
    await suspend(receiver);
    await stack.received(path, 4);
    const jtis = (await claimsAt(path)).map(({ jti }) => jti);
    expect(new Set(jtis).size).toBe(4);
  });

  it('never follows a redirect', async () => {
    const receiver = new TestReceiver(stack);
    const [path, target] = [newPath(), newPath()];
    stack.receiver.answer(path, status(307, '', { location: `${stack.receiver.origin}${target}` }));
    await receiver.pushed(path);
    await suspend(receiver);
    await stack.received(path);
    expect(stack.receiver.at(target)).toEqual([]);
  });

  it('carries the changes of people to a receiver for people, and to no other', async () => {
    const forPeople = new TestReceiver(stack, { audience: 'people' });
    const forCustomers = new TestReceiver(stack, { org: forPeople.org });
    const [path, other] = [newPath(), newPath()];
    for (const each of [path, other]) stack.receiver.answer(each, status(202));
    await forPeople.pushed(path);
    await forCustomers.pushed(other);
    const user = randomUUID();
    const changed = { ...eventBase(), id: randomUUID(), org: forPeople.org, user };
    await stack.publish(
      { ...changed, version: 1, type: 'user.deactivated', data: { user } },
      new TestCustomer(forPeople.org).next('credential.issued'),
    );
    await stack.received(path, 2);
    await stack.received(other, 1);
    expect((await claimsAt(path)).map(nameOf)).toEqual(['session-revoked', 'account-disabled']);
    expect((await claimsAt(other)).map(nameOf)).toEqual(['credential-change']);
  });

  it('is paused after five days of nothing but failures, and gets what it has missed when it is enabled', async () => {
    const receiver = new TestReceiver(stack);
    const path = newPath();
    stack.receiver.answer(path, status(503));
    const { stream_id } = await receiver.pushed(path);
    await suspend(receiver);
    for (let count = 1; count <= 3; count += 1) {
      await stack.received(path, count);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await advanceDays(2);
    }
    await stack.received(path, 4);
    const pauses = ofService(StreamPauses);
    const state = () => stack.bus.request(getOwnStreamStatus, { stream_id }, receiver.context);
    await eventually(async () => {
      await advanceDays(1);
      await pauses.pauseInactive();
      return (await state()).status === 'paused';
    });
    expect((await state()).reason).toBe('The receiver has accepted nothing for five days');
    stack.receiver.answer(path, status(202));
    const before = stack.receiver.at(path).length;
    await stack.bus.request(setOwnStreamStatus, { status: { stream_id, status: 'enabled' } }, receiver.context);
    await stack.received(path, before + 4);
  }, 60_000);
});

describe('a stream that is polled', () => {
  it('returns tokens until they are acknowledged, oldest first', async () => {
    const receiver = new TestReceiver(stack);
    const { stream_id: id } = await receiver.create();
    await suspend(receiver);
    const all = await untilPolled(receiver, id, 4);
    expect(all.map(nameOf)).toEqual(['credential-change', 'credential-change', 'session-revoked', 'account-disabled']);
    const [first, second] = all.map(({ jti }) => jti!);
    const page = await receiver.poll(id, { maxEvents: 1 });
    expect([Object.keys(page.sets), page.moreAvailable]).toEqual([[first], true]);
    expect(await receiver.poll(id, { maxEvents: 0, ack: [first!, 'unknown'] })).toEqual({
      sets: {},
      moreAvailable: false,
    });
    const rest = await polled(receiver, id, { setErrs: { [second!]: { err: 'invalid_key' } } });
    expect(rest.map(({ jti }) => jti)).toEqual(all.slice(2).map(({ jti }) => jti));
  });

  it('has nothing about an erased customer but that they are erased', async () => {
    const receiver = new TestReceiver(stack);
    const { stream_id: id } = await receiver.create();
    const { customer } = await suspend(receiver);
    await untilPolled(receiver, id, 4);
    await stack.publish(customer.next('subject.erasure_started'));
    await eventually(async () => (await polled(receiver, id)).length === 0);
    await stack.publish(customer.next('subject.erased'));
    const left = await untilPolled(receiver, id, 2);
    expect(left.map(nameOf)).toEqual(['session-revoked', 'account-purged']);
  });

  it('is about the subjects that its receiver adds when the organization wants it so', async () => {
    const receiver = new TestReceiver(stack);
    const settings = { defaultSubjects: 'NONE' as const };
    await stack.bus.request(updateTransmitterSettings, { settings }, testContext({ org: receiver.org }));
    const { stream_id, iss } = await receiver.create();
    const customer = new TestCustomer(receiver.org);
    const subject = { format: 'iss_sub', iss, sub: customer.subject };
    const change = (added: boolean, given: object = subject) =>
      stack.bus.request(
        changeStreamSubject,
        { subject: { stream_id, subject: given as typeof subject }, added },
        receiver.context,
      );
    await suspend(receiver);
    await change(true);
    await change(true, { format: 'complex', user: { format: 'opaque', id: randomUUID() } });
    await expect(change(true, { format: 'email', email: 'a@b.example' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await stack.publish(customer.next('offer.created'), customer.next('credential.issued'));
    const found = await untilPolled(receiver, stream_id, 1);
    expect(found.map(({ sub_id: { sub } }) => sub)).toEqual([customer.subject]);
    await stack.publish(customer.next('subject.erasure_started'), customer.next('subject.erased'));
    await eventually(async () => (await polled(receiver, stream_id)).map(nameOf).includes('account-purged'));
  });

  it('is paused when nobody polls it for thirty days', async () => {
    const receiver = new TestReceiver(stack);
    const { stream_id } = await receiver.create();
    await advanceDays(30);
    await ofService(StreamPauses).pauseInactive();
    const found = await stack.bus.request(getOwnStreamStatus, { stream_id }, receiver.context);
    expect(found).toMatchObject({ status: 'paused', reason: 'The receiver has not polled for thirty days' });
    expect((await polled(receiver, stream_id)).map(nameOf)).toEqual(['stream-updated']);
  });
});

describe('a stream', () => {
  it('keeps tokens while it is paused, and has none while it is disabled', async () => {
    const receiver = new TestReceiver(stack);
    const { stream_id } = await receiver.create();
    const set = (wanted: 'enabled' | 'paused' | 'disabled') =>
      stack.bus.request(setOwnStreamStatus, { status: { stream_id, status: wanted } }, receiver.context);
    await set('paused');
    await suspend(receiver);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await polled(receiver, stream_id)).toEqual([]);
    await set('enabled');
    expect(await untilPolled(receiver, stream_id, 4)).toHaveLength(4);
    await set('disabled');
    await suspend(receiver);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await set('enabled');
    expect(await polled(receiver, stream_id)).toEqual([]);
  });

  it('carries a verification event with the state that was given, once in thirty seconds', async () => {
    const receiver = new TestReceiver(stack);
    const { stream_id } = await receiver.create({ events_requested: [] });
    const verify = (state?: string) =>
      stack.bus.request(verifyStream, { verification: { stream_id, ...(state && { state }) } }, receiver.context);
    await verify('abc');
    await expect(verify()).rejects.toMatchObject({ code: 'rate_limited' });
    stack.clock.advance(31_000);
    await verify();
    const found = await untilPolled(receiver, stream_id, 2);
    expect(found.map(({ sub_id }) => sub_id)).toEqual([1, 2].map(() => ({ format: 'opaque', id: stream_id })));
    expect(found.map(({ events }) => Object.values(events)[0])).toEqual([{ state: 'abc' }, {}]);
  });
});
