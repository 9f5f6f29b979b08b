import type { User } from '@holdfast/contracts';
import type { Client } from '../clients/client.ts';
import { rowsNaming } from '../stack/database.ts';

/** People of an organization, some of whom are removed. */
export class InvitedPeople {
  readonly #invited: string[] = [];
  readonly #removed: string[] = [];
  readonly #reader: Client;

  /** `reader` may read people. */
  constructor(reader: Client) {
    this.#reader = reader;
  }

  async invite(count: number): Promise<void> {
    const { stack, app } = this.#reader;
    for (let n = 1; n <= count; n += 1) {
      const who = ['--email', `person-${n}@${app.org}.example`, '--name', `Person ${n}`];
      const { user } = await stack.operator<{ user: User }>('person', 'invite', app.org, ...who);
      this.#invited.push(user.id);
    }
  }

  async removeOne(): Promise<void> {
    const { stack, app } = this.#reader;
    const id = this.#invited.shift()!;
    await stack.operator('person', 'remove', app.org, id, '--yes');
    this.#removed.push(id);
  }

  /** @returns people who are missing, and what is left of those who were removed */
  async check(): Promise<string[]> {
    const { stack, api } = this.#reader;
    const statusOf = async (id: string) => (await this.#reader.call('GET', `${api}/admin/users/${id}`)).status;
    const errors: string[] = [];
    for (const id of this.#invited)
      if ((await statusOf(id)) !== 200) errors.push(`the person ${id} was invited and does not exist`);
    for (const id of this.#removed)
      if ((await statusOf(id)) !== 404) errors.push(`the person ${id} exists, though they were removed`);
    // The feed says that they were removed; entries that revoke tokens name them until no token is left.
    const rows = (await rowsNaming(stack, this.#removed)).filter(
      ({ text }) => !text.includes('user.removed') && !text.includes(',person,'),
    );
    return [...errors, ...rows.map(({ table, text }) => `a row of ${table} names a removed person: ${text}`)];
  }
}
