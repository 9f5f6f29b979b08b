import type { Client } from '../client.ts';
import { sleep } from '../parallel.ts';
import { exchange } from '../http.ts';

/** A minute is closed in the log some seconds after its end. */
const closed = 70_000;

interface Minute {
  begin: number;
  /** Answered with 401, and sent at all: what got no answer, or another one, may have been counted. */
  answered: number;
  sent: number;
}

/** Somebody without a token who does not give up. */
export class AnonymousCaller {
  readonly minutes = new Map<string, Minute>();
  readonly #client: Client;
  readonly #route = '/credentials/subjects';

  constructor(client: Client) {
    this.#client = client;
  }

  async follow(over: () => boolean): Promise<void> {
    for (let n = 0; !over(); n += 1) {
      const { stack, api } = this.#client;
      const now = new Date();
      const key = now.toISOString().slice(0, 16);
      const minute = this.minutes.get(key) ?? {
        begin: Math.floor(now.getTime() / 60_000) * 60_000,
        answered: 0,
        sent: 0,
      };
      this.minutes.set(key, minute);
      minute.sent += 1;
      const status = await exchange({
        origin: stack.gateways[n % 2]!,
        path: `${api}${this.#route}`,
        timeout: 10_000,
      }).then(
        (r) => r.status,
        () => undefined,
      );
      if (status === 401) minute.answered += 1;
      await sleep(50);
    }
  }

  /**
   * What the log says of minutes that are over: all that was answered, and no more than was sent. A call may be counted
   * in the minute after it was sent.
   */
  async judge(auditor: Client): Promise<string[]> {
    const events = (await auditor.wholeLog({ action: 'request.denied' })).filter(
      (e) => e.outcome.code === 'missing_token' && e.request.route.endsWith(this.#route),
    );
    const ids = new Set(events.map((e) => e.occurredAt.slice(0, 16)));
    const twice = ids.size < events.length ? ['a minute of refusals stands in the log twice'] : [];
    const over = [...this.minutes.values()].filter(({ begin }) => Date.now() > begin + closed);
    if (over.length < this.minutes.size) return twice;
    const sum = (of: (m: Minute) => number) => over.reduce((all, m) => all + of(m), 0);
    const counted = events.reduce((all, e) => all + (e.outcome.count ?? 0), 0);
    const [least, most] = [sum((m) => m.answered), sum((m) => m.sent)];
    return counted < least || counted > most
      ? [...twice, `${counted} refusals are counted of ${most} calls, of which ${least} were answered with 401`]
      : twice;
  }
}
