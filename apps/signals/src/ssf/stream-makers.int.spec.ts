// What was prepared ends with the right that prepared it (product §4): streams of security events.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createStream,
  getStream,
  pauseStream,
  resumeStream,
  setOwnStreamStatus,
  type DirectoryEvent,
  type ManagedStream,
  type RequestContext,
} from '@holdfast/contracts';
import { eventBase, eventually, testContext } from '@holdfast/testing';
import { rights } from '../audit-destinations/destinations-stack.fixture.js';
import { status } from '../audit-destinations/receiver.fixture.js';
import { anApp, aPerson, lossesOf } from '../makers/lost-rights.fixture.js';
import { Suspensions } from '../sending/suspensions.js';
import { WebhooksStack } from '../webhooks/webhooks-stack.fixture.js';
import { StreamMakers } from './stream-makers.js';
import { StreamPauses } from './stream-pauses.js';
import { TestCustomer, TestReceiver } from './streams-stack.fixture.js';

describe('a stream', () => {
  let stack: WebhooksStack;
  let path: string;
  beforeAll(async () => {
    stack = await WebhooksStack.start();
  });
  afterAll(() => stack.stop());
  beforeEach(() => {
    rights.clear();
    path = `/${randomUUID()}`;
    stack.receiver.answer(path, status(202));
  });

  const of = <Provider>(type: abstract new (...args: never[]) => Provider): Provider =>
    stack.signals.replicas[0]!.app.get(type as never, { strict: false });
  const apply = (org: string, event: Partial<DirectoryEvent>) =>
    of(StreamMakers).apply([{ ...eventBase(), org, ...event } as DirectoryEvent]);
  const create = async ({ clientId, org }: TestReceiver, context: RequestContext): Promise<ManagedStream> => {
    const given = { receiver: clientId, method: 'push' as const, endpointUrl: `${stack.receiver.origin}${path}` };
    return (await stack.bus.request(createStream, { stream: given }, { ...context, org })).stream;
  };
  const get = (org: string, id: string) => stack.bus.request(getStream, { id }, testContext({ org }));
  const claim = (org: string) => stack.publish(new TestCustomer(org).next('credential.issued'));

  it.each(lossesOf('events:read', 'auditor'))(
    'that %s has made is paused with a record, and goes on under who resumes it',
    async (_, newActor, eventOf) => {
      const receiver = new TestReceiver(stack);
      const { org } = receiver;
      const actor = newActor();
      const { id, maker } = await create(receiver, testContext({ actor }));
      expect(maker).toMatchObject({ type: actor.type, id: actor.id });
      await apply(org, eventOf(actor));
      expect(await get(org, id)).toMatchObject({ state: 'paused', pausedBecause: 'maker' });
      const records = stack.signals.audit.records.filter(({ targets }) => targets[0]?.id === id);
      expect(records.at(-1)).toMatchObject({ action: 'ssf_stream.pause', actor: { type: 'system', id: 'signals' } });
      await claim(org);
      await eventually(async () => (await get(org, id)).waiting === 1);
      expect(stack.receiver.at(path)).toEqual([]);
      const successor = anApp();
      await stack.bus.request(resumeStream, { id }, testContext({ org, actor: successor }));
      await stack.received(path);
      expect(await get(org, id)).toMatchObject({ state: 'enabled', maker: { id: successor.id } });
    },
  );

  it.each([
    ['an app', anApp],
    ['a person', aPerson],
  ])('that %s without the right has made sends nothing, although no event has arrived', async (_, newActor) => {
    const receiver = new TestReceiver(stack);
    const actor = newActor();
    const { id } = await create(receiver, testContext({ actor }));
    rights.set(actor.id, ['audit:read']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await claim(receiver.org);
    await eventually(async () => (await get(receiver.org, id)).pausedBecause === 'maker');
    expect(stack.receiver.at(path)).toEqual([]);
  });

  it('sends nothing while directory does not reply, and everything afterwards', async () => {
    const receiver = new TestReceiver(stack);
    const { stream_id: id } = await receiver.pushed(path);
    rights.set(receiver.clientId, 'down');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await claim(receiver.org);
    await eventually(async () => (await get(receiver.org, id)).waiting === 1);
    expect(stack.receiver.at(path)).toEqual([]);
    rights.clear();
    await eventually(async () => {
      stack.clock.advance(2000);
      return Promise.resolve(stack.receiver.at(path).length > 0);
    });
  });

  it('is paused when its receiver is disabled, and deleted with it', async () => {
    const receiver = new TestReceiver(stack);
    const { org, clientId: app } = receiver;
    const { stream_id: id } = await receiver.pushed(path);
    await apply(org, { type: 'app.updated', app, operations: [] });
    expect(await get(org, id)).toMatchObject({ state: 'paused', pausedBecause: 'maker' });
    await of(StreamPauses).apply([{ ...eventBase(), org, type: 'app.deleted', app } as unknown as DirectoryEvent]);
    await expect(get(org, id)).rejects.toMatchObject({ code: 'unknown_stream' });
    expect(stack.signals.audit.records.at(-1)).toMatchObject({ action: 'ssf_stream.delete', targets: [{ id }] });
  });

  it('that an administrator has paused is not enabled by its receiver', async () => {
    const receiver = new TestReceiver(stack);
    const { org } = receiver;
    const { stream_id } = await receiver.create();
    await stack.bus.request(pauseStream, { id: stream_id }, testContext({ org }));
    const enable = () =>
      stack.bus.request(setOwnStreamStatus, { status: { stream_id, status: 'enabled' } }, receiver.context);
    await expect(enable()).rejects.toMatchObject({ code: 'stream_paused' });
    await stack.bus.request(resumeStream, { id: stream_id }, testContext({ org }));
    expect((await enable()).changed).toBe(false);
  });

  it('of an organization that is suspended sends nothing until it is resumed, and everything then', async () => {
    const receiver = new TestReceiver(stack);
    const { org } = receiver;
    const { stream_id: id } = await receiver.pushed(path);
    const audited = (action: string, version: number) =>
      of(Suspensions).apply([
        { ...eventBase(), org, version, type: 'organization.updated', audit: { action } } as unknown as DirectoryEvent,
      ]);
    await audited('organization.suspend', 2);
    expect((await get(org, id)).state).toBe('suspended');
    await claim(org);
    await eventually(async () => (await get(org, id)).waiting === 1);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(stack.receiver.at(path)).toEqual([]);
    await audited('organization.resume', 3);
    await stack.received(path);
  });
});
