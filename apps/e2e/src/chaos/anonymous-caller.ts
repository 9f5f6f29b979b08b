import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../clients/client.ts';
import { exchange } from '../clients/http.ts';

/** The counts of a minute are appended to the log some seconds after its end. */
const countedAfterMs = 70_000;

interface Minute {
  begin: number;
  /** Calls that were answered with 401. */
  denied: number;
  /** All calls. Those with another response, or none, may have been counted as well. */
  sent: number;
}

/** Calls the API without a token, again and again. */
export class AnonymousCaller {
  readonly minutes = new Map<string, Minute>();
  readonly #client: Client;
  readonly #route = '/credentials/subjects';

  constructor(client: Client) {
    this.#client = client;
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n += 1) {
      const { stack, api } = this.#client;
      const now = new Date();
      const key = now.toISOString().slice(0, 16);
      const minute = this.minutes.get(key) ?? {
        begin: Math.floor(now.getTime() / 60_000) * 60_000,
        denied: 0,
        sent: 0,
      };
      this.minutes.set(key, minute);
      minute.sent += 1;
      const status = await exchange({
        origin: stack.gateways[n % 2]!,
        path: `${api}${this.#route}`,
        timeoutMs: 10_000,
      }).then(
        (r) => r.status,
        () => undefined,
      );
      if (status === 401) minute.denied += 1;
      await sleep(50);
    }
  }

  /**
   * Once all minutes are counted: the log counts every denied request, and no more than were sent. A call may be
   * counted in the minute after it was sent, so only the sum can be compared.
   */
  async check(auditor: Client): Promise<string[]> {
    const events = (await auditor.wholeLog({ action: 'request.denied' })).filter(
      (e) => e.outcome.code === 'missing_token' && e.request.route.endsWith(this.#route),
    );
    const distinct = new Set(events.map((e) => e.occurredAt.slice(0, 16)));
    const duplicates = distinct.size < events.length ? ['the denied requests of a minute are in the log twice'] : [];
    const minutes = [...this.minutes.values()];
    if (minutes.some(({ begin }) => Date.now() <= begin + countedAfterMs)) return duplicates;
    const counted = events.reduce((sum, e) => sum + (e.outcome.count ?? 0), 0);
    const denied = minutes.reduce((sum, m) => sum + m.denied, 0);
    const sent = minutes.reduce((sum, m) => sum + m.sent, 0);
    return counted < denied || counted > sent
      ? [...duplicates, `${counted} denied requests are counted of ${sent} calls, of which ${denied} had a 401`]
      : duplicates;
  }
}
