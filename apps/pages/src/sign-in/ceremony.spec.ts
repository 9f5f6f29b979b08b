import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { Failed } from '../browser/failure.ts';
import { Ceremonies, type Means } from './ceremony.ts';

interface Pending {
  challenge: string;
  suggested: boolean;
  resolve: (response: AuthenticationResponseJSON) => void;
  reject: (error: Error) => void;
}

let pending: Pending[];
let timers: { milliseconds: number; act: () => void }[];
let events: unknown[];
let made: number;
let aborted: number;
let refuse: Failed | undefined;
let ceremonies: Ceremonies;

const answer = (id: string) => ({ id }) as AuthenticationResponseJSON;
/** Lets what is resolved arrive. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  [pending, timers, events, made, aborted, refuse] = [[], [], [], 0, 0, undefined];
  const means: Means = {
    options: async (earlier) => {
      if (refuse) throw refuse;
      return { challenge: `${earlier ? 'e' : 'c'}${++made}`, timeout: 100_000 };
    },
    authenticate: ({ challenge }, suggested) =>
      new Promise((resolve, reject) => pending.push({ challenge, suggested, resolve, reject })),
    // As the browser does: the pending one is rejected, later than the next one begins.
    abort: () => {
      aborted++;
      pending.at(-1)?.reject(new DOMException('aborted', 'AbortError'));
    },
    after: (milliseconds, act) => timers.push({ milliseconds, act }),
  };
  ceremonies = new Ceremonies(
    means,
    ({ id }) => events.push(id),
    ({ kind }) => events.push(kind),
  );
});

describe('the dialogue', () => {
  test('ends the suggestions, without a word', async () => {
    void ceremonies.offer();
    await settle();
    void ceremonies.ask();
    await settle();
    expect(pending.map(({ challenge, suggested }) => [challenge, suggested])).toEqual([
      ['c1', true],
      ['c2', false],
    ]);
    pending[1]!.resolve(answer('mine'));
    await settle();
    expect(events).toEqual(['mine']);
  });

  test('a suggestion taken after the dialogue began counts for nothing', async () => {
    void ceremonies.offer();
    await settle();
    const [offered] = pending;
    pending = [];
    void ceremonies.ask();
    offered!.resolve(answer('late'));
    await settle();
    expect(events).toEqual([]);
  });

  test('may be for passkeys of the earlier RP ID, which suggestions never are', async () => {
    void ceremonies.ask(true);
    await settle();
    pending[0]!.reject(new DOMException('no', 'NotAllowedError'));
    await settle();
    void ceremonies.offer();
    await settle();
    expect(pending.map(({ challenge, suggested }) => [challenge, suggested])).toEqual([
      ['e1', false],
      ['c2', true],
    ]);
  });

  test('says what went wrong', async () => {
    void ceremonies.ask();
    await settle();
    pending[0]!.reject(new DOMException('no', 'NotAllowedError'));
    await settle();
    refuse = new Failed('unavailable');
    await ceremonies.ask();
    expect(events).toEqual(['cancelled', 'unavailable']);
  });
});

describe('suggestions', () => {
  test('get a new challenge before the old one runs out', async () => {
    void ceremonies.offer();
    await settle();
    expect(timers[0]!.milliseconds).toBe(80_000);
    timers[0]!.act();
    await settle();
    expect(pending.map(({ challenge }) => challenge)).toEqual(['c1', 'c2']);
    pending[1]!.resolve(answer('mine'));
    await settle();
    expect(events).toEqual(['mine']);
  });

  test('no timer of theirs disturbs a dialogue, or an answer on its way', async () => {
    void ceremonies.offer();
    await settle();
    void ceremonies.ask();
    await settle();
    timers[0]!.act();
    await settle();
    expect(made).toBe(2);
    void ceremonies.offer();
    await settle();
    pending.at(-1)!.resolve(answer('mine'));
    await settle();
    timers.at(-1)!.act();
    await settle();
    expect([made, events]).toEqual([3, ['mine']]);
  });

  test('fail in silence, unless the sign-in is over', async () => {
    refuse = new Failed('unavailable');
    await ceremonies.offer();
    expect(events).toEqual([]);
    refuse = new Failed('not_found');
    await ceremonies.offer();
    expect(events).toEqual(['not_found']);
  });

  test('stop when the customer leaves', async () => {
    void ceremonies.offer();
    await settle();
    ceremonies.stop();
    await settle();
    timers[0]!.act();
    // The browser's own list is gone as well: one abort for the beginning, one for the end.
    expect([made, aborted, events]).toEqual([1, 2, []]);
  });
});
