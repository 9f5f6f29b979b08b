import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppError, KeyEncryption, seal, unseal } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';

/** What is encrypted of a person. */
export interface PersonalData {
  email: string;
  name: string;
}

/** A person's row, as far as it is encrypted. */
export interface SealedPerson {
  id: string;
  org: string;
  personalData: Buffer;
  personalDataKey: Buffer;
}

/** Binds an encrypted key to its person. */
export function personKeyContext(org: string, id: string): string {
  return `person key ${org}/${id}`;
}

/**
 * Encrypts personal data under a random key of the person, and this key with KEY_ENCRYPTION_KEY. Deleting the key is
 * erasure: whatever copies of the data exist cannot be read any more (docs/adr/0035-personal-data-of-people.md).
 */
@Injectable()
export class PersonalDataEncryption {
  private readonly logger = new Logger('personal data');
  private readonly encryption: KeyEncryption;

  constructor(@Inject(CONFIG) config: Pick<Config, 'KEY_ENCRYPTION_KEY' | 'KEY_ENCRYPTION_KEY_PREVIOUS'>) {
    this.encryption = new KeyEncryption(config, 'directory');
  }

  /** The KEY_ENCRYPTION_KEY of new rows. */
  get keyId(): Buffer {
    return this.encryption.keyId;
  }

  /** The data of a new person under a new key. */
  encryptNew(org: string, id: string, data: PersonalData): SealedPerson {
    const key = randomBytes(32);
    const personalDataKey = this.encryption.encrypt(key, personKeyContext(org, id));
    return { id, org, personalData: sealData(key, org, id, data), personalDataKey };
  }

  decrypt(person: SealedPerson): PersonalData {
    const data = unseal(this.keyOf(person), person.personalData, dataContext(person.org, person.id));
    return JSON.parse(data.toString('utf8')) as PersonalData;
  }

  encrypt(person: Omit<SealedPerson, 'personalData'>, data: PersonalData): Buffer {
    return sealData(this.keyOf(person), person.org, person.id, data);
  }

  /** Encrypts another text about the person under their key, such as the reason of a request. `purpose` binds it. */
  encryptText(person: Omit<SealedPerson, 'personalData'>, text: string, purpose: string): Buffer {
    return seal(this.keyOf(person), text, `${purpose} ${person.org}/${person.id}`);
  }

  decryptText(person: Omit<SealedPerson, 'personalData'>, sealed: Buffer, purpose: string): string {
    return unseal(this.keyOf(person), sealed, `${purpose} ${person.org}/${person.id}`).toString('utf8');
  }

  private keyOf({ id, org, personalDataKey }: Omit<SealedPerson, 'personalData'>): Buffer {
    const key = this.encryption.decrypt(personalDataKey, personKeyContext(org, id));
    if (key) return key;
    this.logger.error(
      `KEY_ENCRYPTION_KEY does not decrypt the key of person ${id}: it was encrypted with another one, or changed. ` +
        'Start directory with that KEY_ENCRYPTION_KEY as KEY_ENCRYPTION_KEY_PREVIOUS',
    );
    throw new AppError('internal');
  }
}

function sealData(key: Buffer, org: string, id: string, { email, name }: PersonalData): Buffer {
  return seal(key, JSON.stringify({ email, name }), dataContext(org, id));
}

function dataContext(org: string, id: string): string {
  return `person ${org}/${id}`;
}
