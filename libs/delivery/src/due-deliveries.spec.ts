import { beforeEach, describe, expect, it } from '@jest/globals';
import { DueDeliveries, type DeliverySource } from './due-deliveries.js';

interface Claim {
  name: string;
}

let due: string[];
let begun: string[];
let ends: Map<string, () => void>;
let room: number;
let failure: Error | undefined;
let isStopping: () => boolean;
let disconnected: number;
const source: DeliverySource<Claim> = {
  claim: async (running) => {
    if (failure) throw failure;
    return due.splice(0, Math.max(0, room - running.length)).map((name) => ({ name }));
  },
  deliver: ({ name }, stopping) => {
    isStopping = stopping;
    begun.push(name);
    return new Promise((resolve) => ends.set(name, resolve));
  },
  disconnect: async () => {
    disconnected += 1;
    for (const end of ends.values()) end();
  },
};
beforeEach(() => {
  [due, begun, room, failure, disconnected] = [[], [], 2, undefined, 0];
  ends = new Map();
});
/** Lets everything run that needs no timer. */
const turn = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('due deliveries', () => {
  it('begin as many at once as there is room for, and the next when one ends', async () => {
    const deliveries = new DueDeliveries(source, 1);
    due = ['a', 'b', 'c', 'd'];
    deliveries.wake();
    await turn();
    expect(begun).toEqual(['a', 'b']);
    ends.get('b')!();
    await turn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('that become due while others are claimed begin without another call', async () => {
    room = 100;
    const deliveries = new DueDeliveries(source, 1);
    due = ['a'];
    deliveries.wake();
    due.push('b');
    deliveries.wake();
    await turn();
    expect(begun).toEqual(['a', 'b']);
  });

  it('report a failed claim to the interval, and go on afterwards', async () => {
    const deliveries = new DueDeliveries(source, 1);
    due = ['a'];
    failure = new Error('no database');
    deliveries.wake();
    await turn();
    await expect(deliveries.deliverDue()).rejects.toThrow('no database');
    failure = undefined;
    await deliveries.deliverDue();
    expect(begun).toEqual(['a']);
  });

  it('of a process that stops are waited for, then disconnected, and no further one begins', async () => {
    const deliveries = new DueDeliveries(source, 20);
    due = ['a', 'b', 'c'];
    await deliveries.deliverDue();
    const stopped = deliveries.stop();
    expect(isStopping()).toBe(true);
    ends.get('a')!();
    await stopped;
    expect([begun, disconnected]).toEqual([['a', 'b'], 1]);
    deliveries.wake();
    await turn();
    expect(begun).toEqual(['a', 'b']);
  });
});
