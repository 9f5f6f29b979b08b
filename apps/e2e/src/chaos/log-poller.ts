import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '@holdfast/contracts';
import type { Client } from '../clients/client.ts';

interface FollowedPage {
  items: AuditEvent[];
  nextAfter: number;
}

/** Follows the log by polls that wait, as docs/audit-stream.md describes it. */
export class LogPoller {
  readonly seqs: number[] = [];
  readonly #client: Client;
  readonly #running: Promise<void>;
  #isOver = false;

  constructor(client: Client) {
    this.#client = client;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let after = 0; !this.#isOver;) {
      const path = `${this.#client.api}/admin/audit/events?order=asc&wait=2&after=${after}`;
      const page = await this.#client.call<FollowedPage>('GET', path).catch(() => undefined);
      if (page?.status === 200) {
        this.seqs.push(...page.body.items.map(({ seq }) => seq));
        after = page.body.nextAfter;
        continue;
      }
      this.#client.clearToken();
      await sleep(200);
    }
  }
}
