import { describe, expect, it } from '@jest/globals';
import { getPerson } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Readiness } from '@holdfast/service';
import { database, newPerson, pepper, request, withDirectory } from '../directory.fixture.js';
import { IndexedPeople } from '../people/personal-data/indexed-people.js';
import { PersonIndex } from '../people/personal-data/person-index.js';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import { DirectoryKeyRotation } from './key-rotation.js';

const old = Buffer.alloc(32, 8);
const next = Buffer.alloc(32, 9);

describe('a rotation of KEY_ENCRYPTION_KEY', () => {
  withDirectory();

  it('is decrypted with both keys, re-encrypted by replicas with the newest one, and said to be finished', async () => {
    const { id, email } = await newPerson();
    const connection = await Database.connect({ url: database.url(), pool: 2, applicationName: 'test' });
    try {
      const config = { KEY_ENCRYPTION_KEY: next, KEY_ENCRYPTION_KEY_PREVIOUS: old, SECRET_PEPPER: pepper };
      const encryption = new PersonalDataEncryption(config);
      const people = new IndexedPeople(connection, new PersonIndex(config), encryption);
      const readiness = new Readiness();
      const rotated = new DirectoryKeyRotation(connection, people, encryption, config, readiness);
      await expect(rotated.follow()).resolves.toBe(0);
      expect(readiness.remarks).toEqual([expect.stringContaining('Another replica uses')]);
      await database.query(`UPDATE directory.key_use SET used_at = used_at - interval '1 minute'`);
      await rotated.follow();
      // Unless the running service has announced its key again in between.
      expect(readiness.remarks).toHaveLength(1);
      const [row] = await database.query<{ personalData: Buffer; personalDataKey: Buffer }>(
        `SELECT personal_data AS "personalData", personal_data_key AS "personalDataKey" FROM directory.person
         WHERE id = $1`,
        [id],
      );
      const sealed = { id, org: 'acme', ...row! };
      const finished = new PersonalDataEncryption({ KEY_ENCRYPTION_KEY: next });
      expect(finished.decrypt(sealed)).toMatchObject({ email });
      expect(() => finished.decrypt({ ...sealed, org: 'globex' })).toThrow();
      // The running service has the old key only, as if it had not been restarted.
      await expect(request(getPerson, { person: id })).rejects.toEqual(expect.objectContaining({ code: 'internal' }));
    } finally {
      await connection.close();
    }
  });
});
