import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PacedRejections } from './paced-rejections.js';

let now: number;
let paced: PacedRejections;
let responded: string[];

beforeEach(() => {
  jest.useFakeTimers();
  [now, responded] = [0, []];
  paced = new PacedRejections(10, () => now);
});
afterEach(() => {
  paced.stop();
  jest.useRealTimers();
});

/** Rejects a request on a connection of its own. */
function reject(name: string, socket = {} as Socket): EventEmitter {
  const response = new EventEmitter();
  paced.reject(socket, response as ServerResponse, () => {
    responded.push(name);
    response.emit('close');
  });
  return response;
}
const rejectMany = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, index) => reject(`${prefix}${index + 1}`));
function advance(ms: number): void {
  now += ms;
  jest.advanceTimersByTime(20);
}

describe('PacedRejections', () => {
  it('responds at once to as many rejections as a second permits', () => {
    rejectMany(10);
    expect(responded).toHaveLength(10);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('responds to further ones at the permitted rate, in their order, and then at once again', () => {
    rejectMany(10);
    rejectMany(4, 'late ');
    advance(99);
    expect(responded).toHaveLength(10);
    advance(1);
    expect(responded.slice(10)).toEqual(['late 1']);
    reject('last');
    advance(300);
    expect(responded.slice(10)).toEqual(['late 1', 'late 2', 'late 3', 'late 4']);
    advance(200);
    expect(responded.at(-1)).toBe('last');
    expect(jest.getTimerCount()).toBe(0);
    reject('at once');
    expect(responded.at(-1)).toBe('at once');
  });

  it('responds to so many that none waits for longer than five seconds, and then at the permitted rate again', () => {
    rejectMany(10);
    rejectMany(200, 'late ');
    advance(100);
    expect(responded).toHaveLength(10 + 4);
    for (let second = 1; second <= 4; second += 1) advance(1000);
    expect(responded).toHaveLength(10 + 4 + 160);
    advance(900);
    expect(responded).toHaveLength(210);
    rejectMany(20, 'later ');
    advance(1000);
    expect(responded).toHaveLength(220);
  });

  it('forgets a rejection whose client has closed the connection', () => {
    rejectMany(10);
    const [first] = [reject('gone'), reject('waits')];
    first.emit('close');
    advance(100);
    expect(responded.slice(10)).toEqual(['waits']);
  });

  it('holds one rejection of a connection: a further one on it ends the wait of the first', () => {
    rejectMany(10);
    const socket = {} as Socket;
    reject('first', socket);
    reject('pipelined', socket);
    expect(responded.slice(10)).toEqual(['first']);
    advance(100);
    expect(responded.slice(10)).toEqual(['first', 'pipelined']);
  });

  it('responds to all when it stops, and to each further one at once', () => {
    rejectMany(30);
    paced.stop();
    expect(responded).toHaveLength(30);
    reject('after');
    expect(responded).toHaveLength(31);
    expect(jest.getTimerCount()).toBe(0);
  });
});
