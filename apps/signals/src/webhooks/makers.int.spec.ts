// What was prepared ends with the right that prepared it (product §4): webhook endpoints.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createWebhookEndpoint,
  resumeWebhookEndpoint,
  updateWebhookEndpoint,
  type DirectoryEvent,
  type RequestContext,
} from '@holdfast/contracts';
import { eventBase, eventually, testContext } from '@holdfast/testing';
import { rights } from '../audit-destinations/destinations-stack.fixture.js';
import { anApp, aPerson, lossesOf } from '../makers/lost-rights.fixture.js';
import { Suspensions } from '../sending/suspensions.js';
import { EndpointMakers } from './endpoint-makers.js';
import { offered, WebhooksStack } from './webhooks-stack.fixture.js';

const newOrg = () => `org-${randomUUID().slice(0, 8)}`;

describe('an endpoint of', () => {
  let stack: WebhooksStack;
  beforeAll(async () => {
    stack = await WebhooksStack.start();
  });
  afterAll(() => stack.stop());
  beforeEach(() => rights.clear());

  const of = <Provider>(type: abstract new (...args: never[]) => Provider): Provider =>
    stack.signals.replicas[0]!.app.get(type as never, { strict: false });
  const apply = (org: string, event: Partial<DirectoryEvent>) =>
    of(EndpointMakers).apply([{ ...eventBase(), org, ...event } as DirectoryEvent]);
  const create = (org: string, context: RequestContext) => stack.create(`/${org}`, {}, context);
  const typesAt = (org: string) =>
    stack.receiver.at(`/${org}`).map(({ body }) => (JSON.parse(body) as { type: string }).type);

  it.each(lossesOf('events:read', 'auditor'))(
    '%s is paused with a record, and goes on under who resumes it',
    async (_, newActor, eventOf) => {
      const org = newOrg();
      const actor = newActor();
      const { id, maker } = await create(org, testContext({ org, actor }));
      expect(maker).toMatchObject({ type: actor.type, id: actor.id });
      const event = eventOf(actor);
      await apply(org, event);
      const paused = await stack.get(id, org);
      expect(paused).toMatchObject({ state: 'paused', pausedBecause: 'maker' });
      if (event.type === 'user.erasure_started') expect(paused.maker).toEqual({ type: 'person' });
      const records = stack.signals.audit.records.filter(({ targets }) => targets[0]?.id === id);
      expect(records.at(-1)).toMatchObject({
        action: 'webhook_endpoint.pause',
        actor: { type: 'system', id: 'signals' },
      });
      await stack.publish(offered({ org }));
      await eventually(async () => (await stack.get(id, org)).waiting === 1);
      expect(typesAt(org)).toEqual([]);
      const successor = anApp();
      await stack.bus.request(resumeWebhookEndpoint, { id, skip: false }, testContext({ org, actor: successor }));
      await stack.received(`/${org}`);
      expect(await stack.get(id, org)).toMatchObject({ state: 'active', maker: { id: successor.id } });
    },
  );

  it.each([
    ['an app', anApp],
    ['a person', aPerson],
  ])('%s that has lost the right gets nothing, although no event has arrived', async (_, newActor) => {
    const org = newOrg();
    const actor = newActor();
    const { id } = await create(org, testContext({ org, actor }));
    rights.set(actor.id, ['audit:read']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await stack.publish(offered({ org }));
    await eventually(async () => (await stack.get(id, org)).pausedBecause === 'maker');
    expect(typesAt(org)).toEqual([]);
  });

  it('an app gets nothing while directory does not say what the app may do, and everything afterwards', async () => {
    const org = newOrg();
    const actor = anApp();
    const { id } = await create(org, testContext({ org, actor }));
    rights.set(actor.id, 'down');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const event = offered({ org });
    await stack.publish(event);
    await eventually(async () => (await stack.get(id, org)).waiting === 1);
    expect([typesAt(org), (await stack.get(id, org)).state]).toEqual([[], 'active']);
    rights.clear();
    await eventually(async () => {
      stack.clock.advance(2000);
      return Promise.resolve(typesAt(org).length > 0);
    });
  });

  it('the operator is of an app from when the app changes where it is sent', async () => {
    const org = newOrg();
    const actor = anApp();
    const operator = { type: 'operator', id: 'operator' } as const;
    stack.signals.append(org, 1);
    const { id } = await create(org, testContext({ org, actor: operator }));
    const change = (changes: object) =>
      stack.bus.request(updateWebhookEndpoint, { id, changes }, testContext({ org, actor }));
    await change({ description: 'Of the operator' });
    expect((await stack.get(id, org)).maker).toEqual(operator);
    await change({ url: `${stack.receiver.origin}/${org}-2` });
    expect((await stack.get(id, org)).maker).toMatchObject({ type: 'app', id: actor.id });
  });

  it('an organization that is suspended gets nothing until it is resumed, and everything then', async () => {
    const org = newOrg();
    const { id } = await create(org, testContext({ org }));
    const audited = (action: string, version: number) =>
      of(Suspensions).apply([
        { ...eventBase(), org, version, type: 'organization.updated', audit: { action } } as unknown as DirectoryEvent,
      ]);
    await audited('organization.suspend', 2);
    expect((await stack.get(id, org)).state).toBe('suspended');
    const event = offered({ org });
    await stack.publish(event);
    await eventually(async () => (await stack.get(id, org)).waiting === 1);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(typesAt(org)).toEqual([]);
    await audited('organization.resume', 3);
    await stack.received(`/${org}`);
  });
});

it('an operator who mistypes the organization creates nothing', async () => {
  const stack = await WebhooksStack.start();
  const context = testContext({ org: 'acmee', actor: { type: 'operator', id: 'operator' } });
  const endpoint = { url: `${stack.receiver.origin}/x`, signatures: ['v1' as const] };
  const refused = stack.bus.request(createWebhookEndpoint, { endpoint }, context);
  await expect(refused).rejects.toMatchObject({ code: 'unknown_organization' });
  await stack.stop();
});
