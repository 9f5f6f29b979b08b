import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { Failed } from '../browser/failure.ts';
import { Ceremonies, type CeremonyDependencies } from './ceremonies.ts';

interface Pending {
  challenge: string;
  rpId: string | undefined;
  suggested: boolean;
  resolve: (response: AuthenticationResponseJSON) => void;
  reject: (error: Error) => void;
}

let pending: Pending[];
let timers: { delayMs: number; callback: () => void }[];
let events: unknown[];
let challenges: number;
let aborted: number;
let dialogues: number;
let failure: Failed | undefined;
let ceremonies: Ceremonies;

const responseOf = (id: string) => ({ id }) as AuthenticationResponseJSON;
/** Lets resolved promises continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  [pending, timers, events, challenges, aborted, failure] = [[], [], [], 0, 0, undefined];
  const dependencies: CeremonyDependencies = {
    options: async () => {
      if (failure) throw failure;
      return {
        options: { challenge: `c${++challenges}`, rpId: 'id.example', timeout: 100_000 },
        earlierRpId: 'old.example',
      };
    },
    authenticate: ({ challenge, rpId }, suggested) =>
      new Promise((resolve, reject) => pending.push({ challenge, rpId, suggested, resolve, reject })),
    // Like the browser: the pending request is rejected after the next one has begun.
    abort: () => {
      aborted++;
      pending.at(-1)?.reject(new DOMException('aborted', 'AbortError'));
    },
    after: (delayMs, callback) => timers.push({ delayMs, callback }),
  };
  dialogues = 0;
  ceremonies = new Ceremonies(dependencies, {
    onDialogue: () => dialogues++,
    onResponse: ({ id }) => events.push(id),
    onFailure: ({ kind }) => events.push(kind),
  });
});

describe('authenticate', () => {
  test('ends the suggestions without reporting a failure', async () => {
    void ceremonies.suggest();
    await settle();
    void ceremonies.authenticate();
    await settle();
    expect(pending.map(({ challenge, suggested }) => [challenge, suggested])).toEqual([
      ['c1', true],
      ['c1', false],
    ]);
    pending[1]!.resolve(responseOf('mine'));
    await settle();
    expect(events).toEqual(['mine']);
  });

  test('ignores a suggestion that is chosen after the dialogue has begun', async () => {
    void ceremonies.suggest();
    await settle();
    const [offered] = pending;
    pending = [];
    void ceremonies.authenticate();
    offered!.resolve(responseOf('late'));
    await settle();
    expect(events).toEqual([]);
  });

  test('uses passkeys of the earlier RP ID on request; suggestions never do', async () => {
    void ceremonies.authenticate(true);
    await settle();
    pending[0]!.reject(new DOMException('no', 'NotAllowedError'));
    await settle();
    void ceremonies.suggest();
    await settle();
    expect(pending.map(({ challenge, rpId, suggested }) => [challenge, rpId, suggested])).toEqual([
      ['c1', 'old.example', false],
      ['c1', 'id.example', true],
    ]);
  });

  test('opens the dialogue without waiting when the options are there', async () => {
    ceremonies.prepare();
    await settle();
    void ceremonies.authenticate();
    // Only promises that are resolved already lie in between: no timer and no request.
    for (let i = 0; i < 5; i += 1) await Promise.resolve();
    expect([pending.length, dialogues, challenges]).toEqual([1, 1, 1]);
  });

  test('requests new options after a response, and after a request that has failed', async () => {
    failure = new Failed('unavailable');
    ceremonies.prepare();
    await settle();
    failure = undefined;
    void ceremonies.authenticate();
    await settle();
    pending[0]!.resolve(responseOf('first'));
    await settle();
    void ceremonies.authenticate();
    await settle();
    expect(pending.map(({ challenge }) => challenge)).toEqual(['c1', 'c2']);
    expect(events).toEqual(['first']);
  });

  test('that is stopped while the options are on their way opens no dialogue', async () => {
    void ceremonies.authenticate();
    ceremonies.stop();
    await settle();
    expect([pending.length, dialogues, events]).toEqual([0, 0, []]);
  });

  test('uses new options when the prepared ones are about to expire', async () => {
    ceremonies.prepare();
    await settle();
    timers[0]!.callback();
    void ceremonies.authenticate();
    await settle();
    expect(pending.map(({ challenge }) => challenge)).toEqual(['c2']);
  });

  test('reports its failures', async () => {
    failure = new Failed('unavailable');
    await ceremonies.authenticate();
    failure = undefined;
    void ceremonies.authenticate();
    await settle();
    pending[0]!.reject(new DOMException('no', 'NotAllowedError'));
    await settle();
    expect(events).toEqual(['unavailable', 'cancelled']);
  });
});

describe('suggest', () => {
  test('requests a new challenge before the old one expires', async () => {
    void ceremonies.suggest();
    await settle();
    expect(timers[0]!.delayMs).toBe(80_000);
    timers[0]!.callback();
    await settle();
    expect(pending.map(({ challenge }) => challenge)).toEqual(['c1', 'c2']);
    pending[1]!.resolve(responseOf('mine'));
    await settle();
    expect(events).toEqual(['mine']);
  });

  test('requests no new challenge during a dialogue or while a response is being verified', async () => {
    void ceremonies.suggest();
    await settle();
    void ceremonies.authenticate();
    await settle();
    timers[0]!.callback();
    await settle();
    expect([challenges, pending.length]).toEqual([1, 2]);
    void ceremonies.suggest();
    await settle();
    pending.at(-1)!.resolve(responseOf('mine'));
    await settle();
    timers.at(-1)!.callback();
    await settle();
    expect([challenges, events]).toEqual([2, ['mine']]);
  });

  test('reports no failure, unless the sign-in has ended', async () => {
    failure = new Failed('unavailable');
    await ceremonies.suggest();
    expect(events).toEqual([]);
    failure = new Failed('not_found');
    await ceremonies.suggest();
    expect(events).toEqual(['not_found']);
  });

  test('ends when the customer leaves', async () => {
    void ceremonies.suggest();
    await settle();
    ceremonies.stop();
    await settle();
    timers[0]!.callback();
    // stop() aborts the browser's list of suggestions; the first abort is that of suggest() itself.
    expect([challenges, aborted, events]).toEqual([1, 2, []]);
  });
});
