import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { streams, type DirectoryEvent } from '@holdfast/contracts';
import { AppError, unavailable } from '@holdfast/platform';
import { appEvent } from '@holdfast/testing';
import { UncertainError, type Bus } from './bus.js';
import { EventConsumer } from './consumer.js';

Logger.overrideLogger(false);

/** What the server receives for each delivery of an event. */
type Settled = 'ack' | `nak after ${number} ms`;

/** The part of the consumer that has nothing to do with the connection. */
interface Intake {
  queue: { message: JsMsg; session: { broken: boolean } }[];
  drain(): Promise<void>;
}

const retryAfterMs = 20;
let quarantined: string[];
let applied: string[];
/** Thrown instead of applying; undefined: events are applied. */
let failure: Error | undefined;
let intake: Intake;

beforeEach(() => {
  [quarantined, applied, failure] = [[], [], undefined];
  const bus = {
    connection: { isClosed: () => true },
    request: (_: unknown, { event }: { event: string }) => {
      quarantined.push(event);
      return Promise.resolve({ known: true });
    },
  } as unknown as Bus;
  const apply = (events: DirectoryEvent[]) => {
    if (failure) return Promise.reject(failure);
    applied.push(...events.map(({ id }) => id));
    return Promise.resolve();
  };
  intake = new EventConsumer(streams.directory, 'audit', bus, apply, { retryAfterMs }) as unknown as Intake;
});

/** Delivers each event once, in one batch. */
async function deliver(...events: DirectoryEvent[]): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const event of events) {
    const message = {
      subject: `evt.directory.${event.type}`,
      seq: 1,
      headers: { get: () => `${event.id}.1` },
      data: Buffer.from(JSON.stringify(event)),
      string: () => JSON.stringify(event),
      json: () => event,
      ack: () => void settled.push('ack'),
      nak: (delayMs: number) => void settled.push(`nak after ${delayMs} ms`),
    } as unknown as JsMsg;
    intake.queue.push({ message, session: { broken: false } });
  }
  await intake.drain();
  return settled;
}

describe('an event', () => {
  it.each([
    ['another service does not run', unavailable('directory is not running')],
    ['another service did not answer', new UncertainError('unavailable', 'directory did not answer in time')],
    ['the database ends the connection', Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ])('is delivered again without end while %s, never quarantined, and applied afterwards', async (_, error) => {
    const events = [appEvent(), appEvent()];
    failure = error;
    for (let delivery = 0; delivery < 20; delivery += 1)
      expect(await deliver(...events)).toEqual(Array(2).fill(`nak after ${retryAfterMs} ms`));
    failure = undefined;
    expect(await deliver(...events)).toEqual(['ack', 'ack']);
    expect([quarantined, applied]).toEqual([[], events.map(({ id }) => id)]);
  });

  it.each([
    ['data that the database refuses', Object.assign(new Error('value too long'), { code: '22001' })],
    ['a refusal of another service', new AppError('not_found')],
    ['a defect', new TypeError('x is undefined')],
  ])('with %s is tried five times with growing delays, and then quarantined', async (_, error) => {
    const event = appEvent();
    failure = error;
    const settled: Settled[] = [];
    for (let delivery = 0; delivery < 5; delivery += 1) settled.push(...(await deliver(event)));
    expect(settled).toEqual([...[1, 2, 4, 8].map((times) => `nak after ${retryAfterMs * times} ms`), 'ack']);
    expect(quarantined).toEqual([event.id]);
  });

  it('is not quarantined for failures of a batch in which another event is the cause', async () => {
    const [good, bad] = [appEvent(), { ...appEvent(), org: 5 as never }];
    expect(await deliver(bad, good)).toEqual([`nak after ${retryAfterMs} ms`, 'ack']);
    expect([quarantined, applied]).toEqual([[], [good.id]]);
  });
});
