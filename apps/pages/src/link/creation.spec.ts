import { beforeEach, expect, test } from '@jest/globals';
import type { RegistrationResponseJSON } from '@simplewebauthn/browser';
import { Failed } from '../browser/failure.ts';
import { Creation } from './creation.ts';

let events: string[];
let challenges: number;
let registered: string[];
let sent: string[];
/** How the server answers, in order. Then it succeeds. */
let answers: Failed[];
let cancels: boolean;
/** The server does not answer before. */
let hold: Promise<void> | undefined;
let creation: Creation<string>;

/** Lets resolved promises continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  [events, challenges, registered, sent, answers, cancels, hold] = [[], 0, [], [], [], false, undefined];
  creation = new Creation<string>(
    {
      options: async () => ({
        options: {
          challenge: `c${++challenges}`,
          rp: { id: 'id.example', name: 'Acme' },
          user: { id: 'u', name: 'n', displayName: '' },
          pubKeyCredParams: [],
          timeout: 100_000,
        },
      }),
      register: async ({ challenge }) => {
        if (cancels) throw new DOMException('no', 'NotAllowedError');
        registered.push(challenge);
        return { id: `passkey of ${challenge}` } as RegistrationResponseJSON;
      },
      abort: () => events.push('aborted'),
      complete: async ({ id }) => {
        sent.push(id);
        await hold;
        const failure = answers.shift();
        if (failure) throw failure;
        return id;
      },
      hide: (rpId, credentialId) => events.push(`hidden ${credentialId} of ${rpId}`),
      after: () => undefined,
    },
    {
      onDialogue: () => events.push('dialogue'),
      onCreated: () => events.push('created'),
      onCompleted: (id) => events.push(`completed ${id}`),
      onFailure: ({ kind }) => events.push(kind),
    },
  );
});

test('creates a passkey with options that were requested before, and sends it', async () => {
  creation.prepare();
  await settle();
  await creation.create();
  expect([events, challenges]).toEqual([['dialogue', 'created', 'completed passkey of c1'], 1]);
});

test('sends the same passkey again when the server could not be reached, however often', async () => {
  answers = [new Failed('unavailable'), new Failed('rate_limited')];
  for (let i = 0; i < 3; i += 1) await creation.create();
  expect(registered).toEqual(['c1']);
  expect(sent).toEqual(Array(3).fill('passkey of c1'));
  expect(events.at(-1)).toBe('completed passkey of c1');
});

test('hides a passkey that the server has refused, and creates another one', async () => {
  answers = [new Failed('ceremony_expired')];
  await creation.create();
  await creation.create();
  expect(events).toEqual([
    ...['dialogue', 'created', 'hidden passkey of c1 of id.example', 'ceremony_expired'],
    ...['dialogue', 'created', 'completed passkey of c2'],
  ]);
});

test('hides no passkey that the server may have stored, since a response was lost', async () => {
  answers = [new Failed('unavailable'), new Failed('link_used')];
  await creation.create();
  await creation.create();
  expect(events.filter((event) => event.startsWith('hidden'))).toEqual([]);
  expect(events.at(-1)).toBe('link_used');
});

test('keeps the options of a dialogue that the customer has cancelled', async () => {
  cancels = true;
  await creation.create();
  cancels = false;
  await creation.create();
  expect([events[1], registered]).toEqual(['cancelled', ['c1']]);
});

test('that is stopped reports nothing more', async () => {
  const created = creation.create();
  creation.stop();
  await created;
  expect([events, registered]).toEqual([['aborted'], []]);
});

test('hides a passkey that was confirmed in the moment in which the customer stopped', async () => {
  creation.prepare();
  await settle();
  const created = creation.create();
  // The dialogue is open.
  await Promise.resolve();
  while (registered.length === 0) await Promise.resolve();
  creation.stop();
  await created;
  expect([sent, events.at(-1)]).toEqual([[], 'hidden passkey of c1 of id.example']);
});

test('for another link keeps its passkey when the response to the one before comes late', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  hold = held;
  const first = creation.create();
  while (sent.length === 0) await settle();
  creation.reset();
  hold = undefined;
  answers = [new Failed('unavailable')];
  await creation.create();
  release();
  await first;
  await creation.create();
  expect([registered, sent.at(-1)]).toEqual([['c1', 'c2'], 'passkey of c2']);
});

test('for another link uses nothing of the one before', async () => {
  answers = [new Failed('unavailable')];
  await creation.create();
  creation.reset();
  await creation.create();
  expect(registered).toEqual(['c1', 'c2']);
});
