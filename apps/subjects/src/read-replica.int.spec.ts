// Two replicas of the service read from a streaming standby: a read never misses what was acknowledged before.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { customerEventSchema, getSubject, listSubjects } from '@holdfast/contracts';
import { ProjectionAcknowledgements } from '@holdfast/messaging';
import { customerKey } from '@holdfast/platform';
import { register } from '@holdfast/service';
import { eventually, startReplicatedServer, testContext, type ReplicatedServer } from '@holdfast/testing';
import { SubjectsStack } from './subjects-stack.fixture.js';

let server: ReplicatedServer;
let stack: SubjectsStack;
let acknowledgements: ProjectionAcknowledgements;

const context = () => testContext({ actor: { type: 'app', id: 'app-1' } });
const served = async (by: string) => {
  const { values } = (await register.getSingleMetric('holdfast_replica_reads_total')!.get()) as {
    values: { labels: Record<string, string>; value: number }[];
  };
  return values.find(({ labels }) => labels.served === by)?.value ?? 0;
};

/** Resolves when one of the two replicas has acknowledged the event, as a command's response does. */
async function offered(): Promise<string> {
  const [id, subject, createdAt] = [randomUUID(), randomUUID(), new Date().toISOString()];
  const state = { subject, app: 'app-1', createdAt, credentials: [], offers: [] };
  const base = { id, type: 'offer.created', occurredAt: createdAt, org: 'acme', requestId: 'r', traceparent: 't' };
  const event = customerEventSchema.parse({ ...base, subject, version: 1, state });
  const visible = acknowledgements.wait('subjects', id, 60_000);
  await stack.publish(event);
  expect(await visible).toBe(true);
  return subject;
}

/** @returns the reads that do not show the customer, of several at once through both replicas */
async function wrongReads(subject: string): Promise<string[]> {
  const gets = Array.from({ length: 4 }, () => stack.bus.request(getSubject, { subject }, context()));
  const lists = Array.from({ length: 2 }, () => stack.bus.request(listSubjects, { limit: 50 }, context()));
  const [found, pages] = [await Promise.allSettled(gets), await Promise.allSettled(lists)];
  return [
    ...found.map((r) => (r.status === 'fulfilled' ? '' : `get: ${String(r.reason)}`)),
    ...pages.map((r) =>
      r.status === 'fulfilled' && r.value.items.some((item) => item.subject === subject) ? '' : 'list: absent',
    ),
  ].filter(Boolean);
}

async function wrongAfterOffers(times: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let i = 0; i < times; i += 1) wrong.push(...(await wrongReads(await offered())));
  return wrong;
}

async function untilServedBy(by: string): Promise<void> {
  const before = await served(by);
  await eventually(async () => {
    await stack.bus.request(listSubjects, { limit: 1 }, context());
    expect(await served(by)).toBeGreaterThan(before);
  });
}

beforeAll(async () => {
  server = await startReplicatedServer();
  stack = await SubjectsStack.start({ replicas: 2, server });
  acknowledgements = new ProjectionAcknowledgements(stack.issuance, 'issuance');
});
afterAll(async () => {
  await stack?.stop();
  await server?.stop();
});

it('shows a customer at once after the acknowledgement of the offer', async () => {
  await untilServedBy('replica');
  expect(await wrongAfterOffers(100)).toEqual([]);
});

it('shows a customer at once while the standby applies nothing, from the primary', async () => {
  await untilServedBy('replica');
  await server.pauseReplay();
  const before = await served('replica');
  expect(await wrongAfterOffers(20)).toEqual([]);
  expect(await served('replica')).toBe(before);
  await server.resumeReplay();
  await untilServedBy('replica');
});

it('shows a customer at once while the standby is stopped, and uses it again afterwards', async () => {
  await server.stopStandby();
  expect(await wrongAfterOffers(20)).toEqual([]);
  await server.startStandby();
  await untilServedBy('replica');
});

it('answers 503 from the standby while the model is behind a watermark, and recovers by itself', async () => {
  await untilServedBy('replica');
  const subject = await offered();
  const raise = (version: number) =>
    stack.database.query(
      `INSERT INTO watermarks.subjects AS w (org, aggregate, version) VALUES ('acme', $1, $2)
       ON CONFLICT (org, aggregate) DO UPDATE SET version = excluded.version`,
      [customerKey('acme', subject), version],
    );
  await raise(2);
  await expect(stack.bus.request(getSubject, { subject }, context())).rejects.toMatchObject({ code: 'unavailable' });
  await raise(1);
  expect(await wrongReads(subject)).toEqual([]);
});
