import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { streams, type DirectoryEvent } from '@holdfast/contracts';
import { AppError, unavailable } from '@holdfast/platform';
import { appEvent } from '@holdfast/testing';
import { UncertainError, type Bus } from '../requests/bus.js';
import { EventConsumer } from './consumer.js';
import { eventsIn, messageIdOf, type DeliveredEvent } from './delivered-events.js';

Logger.overrideLogger(false);

/** What the server receives for each delivery of an event. */
type Settled = 'ack' | `nak after ${number} ms`;

/** The part of the consumer that has nothing to do with the connection. */
interface Intake {
  queue: { message: JsMsg; session: { broken: boolean }; id: string; events: DeliveredEvent[] }[];
  drain(): Promise<void>;
}

const retryAfterMs = 20;
let quarantined: string[];
/** Events that were quarantined alone: the others of their message were not. */
let alone: string[];
let applied: string[];
/** Thrown instead of applying; undefined: events are applied. */
let failure: Error | undefined;
/** The id of an event that cannot be applied, nor can a batch with it. */
let poison: string | undefined;
/** How many events were applied together. */
let batches: number[];
let intake: Intake;

beforeEach(() => {
  [quarantined, alone, applied, failure] = [[], [], [], undefined];
  [poison, batches] = [undefined, []];
  const bus = {
    connection: { isClosed: () => true },
    request: (_: unknown, of: { event: string; alone?: true }) => {
      quarantined.push(of.event);
      if (of.alone) alone.push(of.event);
      return Promise.resolve({ known: true });
    },
  } as unknown as Bus;
  const apply = (events: DirectoryEvent[]) => {
    if (failure) return Promise.reject(failure);
    if (events.some(({ id }) => id === poison)) return Promise.reject(new TypeError('a defect'));
    batches.push(events.length);
    applied.push(...events.map(({ id }) => id));
    return Promise.resolve();
  };
  intake = new EventConsumer(streams.directory, 'audit', bus, apply, { retryAfterMs }) as unknown as Intake;
});

/** Delivers each event once, in a message of its own, all in one batch. */
function deliver(...events: DirectoryEvent[]): Promise<Settled[]> {
  return deliverMessages(...events);
}

/** Delivers messages: each an event, or an array of several. */
async function deliverMessages(...bodies: (DirectoryEvent | unknown[])[]): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const body of bodies) {
    const [first] = [body].flat() as DirectoryEvent[];
    const message = {
      subject: 'evt.directory.app.updated',
      seq: 1,
      headers: { get: () => `${first?.id}.1` },
      json: () => body,
      ack: () => void settled.push('ack'),
      nak: (delayMs: number) => void settled.push(`nak after ${delayMs} ms`),
    } as unknown as JsMsg;
    intake.queue.push({
      message,
      session: { broken: false },
      id: messageIdOf(message),
      events: eventsIn(message),
    });
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

describe('a message with several events', () => {
  const several = (count: number) => Array.from({ length: count }, () => appEvent());

  it('is applied at once, in batches of a bounded size with other messages', async () => {
    const messages = [several(64), appEvent(), several(60), several(64)];
    expect(await deliverMessages(...messages)).toEqual(Array(4).fill('ack'));
    expect(applied).toEqual(messages.flat().map(({ id }) => id));
    expect(batches).toEqual([125, 64]);
  });

  it('has one that cannot be applied quarantined alone, and the others applied', async () => {
    const events = several(5);
    poison = events[2]!.id;
    const settled: Settled[] = [];
    for (let delivery = 0; delivery < 5; delivery += 1) settled.push(...(await deliverMessages(events, appEvent())));
    const others = Array(5).fill('ack');
    expect(settled.filter((_, i) => i % 2 === 1)).toEqual(others);
    expect(settled.filter((_, i) => i % 2 === 0)).toEqual([
      ...[1, 2, 4, 8].map((times) => `nak after ${retryAfterMs * times} ms`),
      'ack',
    ]);
    expect([quarantined, alone]).toEqual([[poison], [poison]]);
    expect(applied).toEqual(expect.arrayContaining(events.filter(({ id }) => id !== poison).map(({ id }) => id)));
    expect(applied).not.toContain(poison);
  });

  it('has one quarantined that does not fit the schema, and another that the database refuses', async () => {
    const events = several(4);
    const unknown = { ...events[0]!, type: 'no.such' };
    poison = events[3]!.id;
    for (let delivery = 0; delivery < 5; delivery += 1) await deliverMessages([unknown, ...events.slice(1)]);
    expect(quarantined.sort()).toEqual([unknown.id, poison].sort());
    expect(new Set(applied)).toEqual(new Set([events[1]!.id, events[2]!.id]));
  });

  it('is delivered again as a whole, and none of it quarantined, while the database is unavailable', async () => {
    failure = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const events = several(3);
    for (let delivery = 0; delivery < 10; delivery += 1)
      expect(await deliverMessages(events)).toEqual([`nak after ${retryAfterMs} ms`]);
    failure = undefined;
    expect(await deliverMessages(events)).toEqual(['ack']);
    expect([quarantined, applied]).toEqual([[], events.map(({ id }) => id)]);
  });

  it.each([
    ['more events than any has', several(65)],
    ['none', []],
    ['no events', [1, null, { id: 5 }]],
  ])('with %s is forged and dropped: nothing of it is applied or quarantined', async (_, body) => {
    const settled: Settled[] = [];
    for (let delivery = 0; delivery < 5; delivery += 1) settled.push(...(await deliverMessages(body)));
    expect(settled.at(-1)).toBe('ack');
    expect(applied).toEqual([]);
  });
});
