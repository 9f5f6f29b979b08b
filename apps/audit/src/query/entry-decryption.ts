import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AuditEvent } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { CONFIG } from '@holdfast/service';
import { eventOf, idsIn } from '../append/leaf.js';
import { EncryptionKeys, type EncryptionConfig } from '../privacy/key-encryption.js';
import { openPersonKey, unsealPersonal, type Personal } from '../privacy/personal-data.js';
import { Names, type Named } from '../privacy/pseudonym-mappings.js';

const keys = statement('person_keys', 'SELECT person, key FROM person_key WHERE org = $1 AND person = ANY ($2)');

/** An entry as it is stored. */
export interface StoredEntry {
  seq: number;
  leaf: Buffer;
  person: string | null;
  personal: Buffer | null;
}

/** What stored entries mean: whom their pseudonyms stand for and what is personal, as far as nobody was erased. */
@Injectable()
export class Opened {
  private readonly logger = new Logger('entries');
  private readonly keys: EncryptionKeys;

  constructor(
    private readonly database: Database,
    private readonly names: Names,
    @Inject(CONFIG) config: EncryptionConfig,
  ) {
    this.keys = new EncryptionKeys(config);
  }

  async events(org: string, entries: readonly StoredEntry[]): Promise<AuditEvent[]> {
    const { names, personal } = await this.open(org, entries);
    return entries.map((entry, i) => eventOf(entry.seq, entry.leaf, names, personal[i]));
  }

  /** For all entries together: two queries at most. */
  async open(
    org: string,
    entries: readonly StoredEntry[],
  ): Promise<{ names: Map<string, Named>; personal: Personal[] }> {
    // Keys first: whoever is erased in between must not be shown as a name that still opens beside values that do not.
    const persons = await this.persons(org, entries);
    const names = await this.names.open(
      org,
      entries.flatMap((e) => idsIn(e.leaf)),
    );
    const personal = entries.map(({ person, personal: sealed, leaf }): Personal => {
      const key = persons.get(person ?? '');
      return key && sealed ? this.unseal(sealed, key, org, leaf) : {};
    });
    return { names, personal };
  }

  /**
   * What was changed in the database cannot be opened; the rest of the entry still can be read. It is shown as changed,
   * since leaving it out would look like an erased person.
   */
  private unseal(sealed: Buffer, key: Buffer, org: string, leaf: Buffer): Personal {
    const { id, personal = {} } = JSON.parse(leaf.toString()) as { id: string; personal?: object };
    try {
      return unsealPersonal(sealed, key, org, id);
    } catch {
      this.logger.error(
        `the personal values of entry ${id} of ${org} cannot be opened: they were changed, or belong to another entry`,
      );
      return Object.fromEntries(
        Object.keys(personal).map((field) => [field, { value: '(changed)', salt: Buffer.alloc(0) }]),
      );
    }
  }

  private async persons(org: string, entries: readonly StoredEntry[]): Promise<Map<string, Buffer | undefined>> {
    const ids = [...new Set(entries.flatMap((e) => e.person ?? []))];
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<{ person: string; key: Buffer }>(keys, [org, ids]);
    return new Map(rows.map(({ person, key }) => [person, openPersonKey(person, key, this.keys, org)?.key]));
  }
}
