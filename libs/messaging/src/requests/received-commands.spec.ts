import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contracts } from '@holdfast/contracts';
import { keptMs, ReceivedCommands } from './received-commands.js';

let nowMs = 0;
let commands: ReceivedCommands;
const message = () => {
  const responses: string[] = [];
  return { responses, respond: (data: unknown) => (responses.push(String(data)), true) };
};

beforeEach(() => {
  nowMs = 0;
  commands = new ReceivedCommands(() => nowMs, 10_000);
});

describe('a command', () => {
  it('that is received again while it runs is not handled, and both messages get the response', () => {
    const [first, again] = [message(), message()];
    expect(commands.receive('gateway 1', first, false)).toBe(true);
    expect(commands.receive('gateway 1', again, true)).toBe(false);
    expect(again.responses).toEqual([]);
    commands.respond(first, 'done');
    expect([first.responses, again.responses]).toEqual([['done'], ['done']]);
  });

  it('that is received again after its end gets the same response', () => {
    const [first, again] = [message(), message()];
    commands.receive('gateway 1', first, false);
    commands.respond(first, 'done');
    nowMs += 9000;
    expect(commands.receive('gateway 1', again, true)).toBe(false);
    expect([first.responses, again.responses]).toEqual([['done'], ['done']]);
  });

  it('whose first message was lost is handled', () =>
    expect(commands.receive('gateway 1', message(), true)).toBe(true));

  it('of another sender with the same id is another command', () => {
    commands.receive('gateway 1', message(), false);
    expect(commands.receive('auth 1', message(), false)).toBe(true);
  });

  it('that may have been forgotten for want of room is not handled again, for as long as its sender may wait', () => {
    const first = message();
    commands.receive('gateway 1', first, false);
    commands.respond(first, 'x'.repeat(20_000));
    expect(commands.receive('gateway 2', message(), false)).toBe(true);
    expect(commands.receive('gateway 1', message(), true)).toBe(false);
    expect(commands.receive('gateway 3', message(), true)).toBe(false);
    nowMs += 10_000;
    expect(commands.receive('gateway 4', message(), true)).toBe(true);
  });

  it('has a shorter time limit than its id is kept, so that no message of it is handled later', () =>
    expect(
      contracts.filter(({ kind, repeatable, timeoutMs }) => kind === 'command' && !repeatable && timeoutMs >= keptMs),
    ).toEqual([]));

  it('is handled at most once, whatever is received in which order', () => {
    const steps = fc.array(
      fc.record({
        id: fc.integer({ min: 0, max: 5 }),
        kind: fc.constantFrom('first', 'again', 'respond'),
        bytes: fc.integer({ min: 0, max: 9000 }),
        afterMs: fc.integer({ min: 0, max: 800 }),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (taken) => {
        nowMs = 0;
        const received = new ReceivedCommands(() => nowMs, 10_000);
        const handled = new Map<number, number>();
        const handledMessages = new Map<number, ReturnType<typeof message>>();
        const sentAtMs = new Map<number, number>();
        for (const { id, kind, bytes, afterMs } of taken) {
          nowMs += afterMs;
          if (kind === 'respond') {
            if (handled.has(id)) received.respond(handledMessages.get(id)!, 'x'.repeat(bytes));
            continue;
          }
          // A sender sends the first message once, and waits for less than ten seconds.
          const isRepeated = sentAtMs.has(id) || kind === 'again';
          if (!sentAtMs.has(id)) sentAtMs.set(id, nowMs);
          if (nowMs - sentAtMs.get(id)! >= 10_000) continue;
          const sent = message();
          if (!received.receive(`gateway ${id}`, sent, isRepeated)) continue;
          handled.set(id, (handled.get(id) ?? 0) + 1);
          handledMessages.set(id, sent);
        }
        expect([...handled.values()].filter((times) => times > 1)).toEqual([]);
      }),
    );
  });
});
