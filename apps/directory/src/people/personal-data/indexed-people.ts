import { Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { updatePersonalData } from '../people.repository.js';
import { PersonIndex } from './person-index.js';
import { PersonalDataEncryption, type SealedPerson } from './personal-data.js';

/** People of one transaction: each has about a hundred search tokens. */
const batchSize = 20;
const firstId = '00000000-0000-0000-0000-000000000000';

const next = statement(
  'person_of_other_pepper',
  `SELECT id FROM person WHERE pepper_id IS DISTINCT FROM $1 AND id > $2 ORDER BY id LIMIT ${batchSize}`,
);
/** SKIP LOCKED: it locks many rows and must never wait, or it could deadlock. */
const lock = statement(
  'person_lock_to_index',
  `SELECT id, org, personal_data AS "personalData", personal_data_key AS "personalDataKey", created_at AS "createdAt"
   FROM person WHERE id = ANY ($1) AND pepper_id IS DISTINCT FROM $2 FOR NO KEY UPDATE SKIP LOCKED`,
);
const readClock = statement('person_index_clock', 'SELECT clock_timestamp() AS now');

/**
 * Makes the hashes by which people are found again, from their decrypted e-mail address and name, after a rotation of
 * SECRET_PEPPER. While it runs, people are found by the hashes of both peppers.
 */
@Injectable()
export class IndexedPeople {
  private cleanSince?: Date;

  constructor(
    private readonly database: Database,
    private readonly index: PersonIndex,
    private readonly encryption: PersonalDataEncryption,
  ) {}

  /** @returns how many people had hashes of another pepper */
  async convert(options: { leads: boolean; switchedAt: Date; stopping: () => boolean }): Promise<number> {
    const { leads, switchedAt, stopping } = options;
    if (this.cleanSince && this.cleanSince > switchedAt) return 0;
    const [clock] = await this.database.rows<{ now: Date }>(readClock);
    let count = 0;
    for (let after = firstId; !stopping();) {
      const ids = (await this.database.rows<{ id: string }>(next, [this.index.pepperId, after])).map(({ id }) => id);
      count += ids.length;
      if (leads && ids.length > 0) await this.convertSome(ids);
      if (ids.length < batchSize) break;
      after = ids.at(-1)!;
    }
    if (count === 0 && !stopping()) this.cleanSince = clock!.now;
    return count;
  }

  private convertSome(ids: string[]): Promise<void> {
    return this.database.transaction(async (sql) => {
      const people = await sql.rows<SealedPerson & { createdAt: Date }>(lock, [ids, this.index.pepperId]);
      for (const person of people) {
        const index = this.index.of(person.org, this.encryption.decrypt(person));
        await updatePersonalData(sql, person, { personalData: person.personalData, index });
      }
    });
  }
}
