import { setTimeout as sleep } from 'node:timers/promises';
import type { Group } from '@holdfast/contracts';
import { RetryingClient } from '../chaos/retrying-client.ts';
import type { Client } from '../clients/client.ts';
import { inParallel } from '../stack/parallel.ts';

/** Creates groups through the Admin API and deletes every third one, and knows what was acknowledged. */
export class GroupWriter {
  readonly client: RetryingClient;
  /** The name of each group that was created, undefined when it was deleted. */
  readonly groups = new Map<string, string | undefined>();
  readonly #program: Client;

  /** `program` may manage groups. */
  constructor(program: Client) {
    this.#program = program;
    this.client = new RetryingClient(program);
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    for (let n = 1; !isOver(); n += 1) {
      const name = `Group ${n}`;
      const id = await this.client.createGroup(`${this.#program.app.clientId}-${n}`, name);
      this.groups.set(id, name);
      if (n % 3 === 0) {
        await this.client.deleteGroup(id);
        this.groups.set(id, undefined);
      }
      await sleep(200);
    }
  }

  /** @returns what differs from what was acknowledged */
  async check(): Promise<string[]> {
    const errors = await inParallel([...this.groups], 8, async ([id, name]) => {
      const { status, body } = await this.#program.call<Group>('GET', `${this.#program.api}/admin/groups/${id}`);
      const found = status === 200 ? body.name : status;
      const expected = name ?? 404;
      return found === expected ? [] : [`the group ${id} is ${found} and should be ${expected}`];
    });
    return [...this.client.errors, ...errors.flat()];
  }
}
