import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AuditEvent } from '@holdfast/contracts';
import { ReadDatabase, statement } from '@holdfast/data';
import { KeyEncryption, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { eventOf, pseudonymsIn } from '../append/leaf.js';
import { decryptPersonalData, decryptPersonalDataKey, type PersonalData } from '../privacy/personal-data.js';
import { PseudonymMappings, type MappedIdentifier } from '../privacy/pseudonyms.js';

export const selectKeys = statement(
  'personal_data_keys',
  'SELECT id, key FROM personal_data_key WHERE org = $1 AND id = ANY ($2)',
);

/** Columns of `entry e` that make up a StoredEntry. */
export const storedEntryColumns = 'e.seq, e.leaf, e.personal_data_key_id AS "keyId", e.personal_data AS "personalData"';

/**
 * Bytes that the entries of a page have together, unless it is a single one. Entries are up to 64 KiB large (product
 * §7), and pages of two hundred such would take the memory and the time of all other reads.
 */
export const maxPageBytes = 262_144;
/** Size of an entry, in the columns of a StoredEntry. */
export const storedEntryBytes = 'octet_length(leaf) + coalesce(octet_length("personalData"), 0)';

export interface StoredEntry {
  seq: number;
  leaf: Buffer;
  keyId: string | null;
  personalData: Buffer | null;
}

/** Resolves pseudonyms and decrypts personal data of stored entries. Those of erased customers stay as they are. */
@Injectable()
export class EntryDecryption {
  private readonly logger = new Logger('entries');
  private readonly encryption: KeyEncryption;

  constructor(
    private readonly database: ReadDatabase,
    private readonly mappings: PseudonymMappings,
    @Inject(CONFIG) config: KeyEncryptionConfig,
  ) {
    this.encryption = new KeyEncryption(config, 'audit');
  }

  async eventsOf(org: string, entries: readonly StoredEntry[]): Promise<AuditEvent[]> {
    const { mappings, personal } = await this.decrypt(org, entries);
    return entries.map((entry, i) => eventOf(entry.seq, entry.leaf, mappings, personal[i]));
  }

  /** Makes two queries at most, however many entries there are. */
  async decrypt(
    org: string,
    entries: readonly StoredEntry[],
  ): Promise<{ mappings: Map<string, MappedIdentifier>; personal: PersonalData[] }> {
    // Keys before mappings: an erasure in between must not yield a resolved id beside missing personal data, which a
    // verifier reports as tampering.
    const keys = await this.keysOf(org, entries);
    const mappings = await this.mappings.resolve(
      org,
      entries.flatMap((e) => pseudonymsIn(e.leaf)),
    );
    const personal = entries.map(({ keyId, personalData, leaf }): PersonalData => {
      const key = keys.get(keyId ?? '');
      return key && personalData ? this.personalDataOf(personalData, key, org, leaf) : {};
    });
    return { mappings, personal };
  }

  /**
   * Values that were changed in the database cannot be decrypted; the rest of the entry can be read. They are shown as
   * changed, since without them the entry would look like that of an erased customer.
   */
  private personalDataOf(sealed: Buffer, key: Buffer, org: string, leaf: Buffer): PersonalData {
    const { id, personal = {} } = JSON.parse(leaf.toString()) as { id: string; personal?: object };
    try {
      return decryptPersonalData(sealed, key, org, id);
    } catch {
      this.logger.error(
        `The personal data of entry ${id} of ${org} cannot be decrypted: it was changed, or belongs to another ` +
          'entry. Verify the log with "holdfast audit verify"',
      );
      return Object.fromEntries(
        Object.keys(personal).map((field) => [field, { value: '(changed)', salt: Buffer.alloc(0) }]),
      );
    }
  }

  private async keysOf(org: string, entries: readonly StoredEntry[]): Promise<Map<string, Buffer | undefined>> {
    const ids = [...new Set(entries.flatMap((e) => e.keyId ?? []))];
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<{ id: string; key: Buffer }>(selectKeys, [org, ids]);
    return new Map(rows.map(({ id, key }) => [id, decryptPersonalDataKey(id, key, this.encryption, org)?.key]));
  }
}
