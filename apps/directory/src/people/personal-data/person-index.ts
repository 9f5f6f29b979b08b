import { hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { keyedHash, keyIdOf } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { peppersOf, type PepperConfig } from '../../config.js';
import { searchTokensOf, tokensOfSearch } from './search-tokens.js';

/** 128 bits: two of the prefixes that people search for never have the same token. */
const tokenBytes = 16;

interface DerivedKeys {
  email: Buffer;
  token: Buffer;
  link: Buffer;
}

/** By what a person is found. */
export interface StoredIndex {
  /** The first is stored; nobody else of the organization may have any of them. */
  emailHashes: Buffer[];
  tokens: Buffer[];
  pepperId: Buffer;
}

/**
 * Keyed hashes by which a person is found, while the values are encrypted. Each kind has a key of its own, and each
 * hash includes the organization, so that equal values of two organizations have different hashes.
 */
@Injectable()
export class PersonIndex {
  /** Those of the current pepper first; those of the other one find what was stored under it, during a rotation. */
  private readonly keys: DerivedKeys[];
  /** Stored with a person: the pepper of their hashes. */
  readonly pepperId: Buffer;

  constructor(@Inject(CONFIG) config: PepperConfig) {
    const peppers = peppersOf(config);
    this.pepperId = keyIdOf(peppers[0], 'SECRET_PEPPER');
    this.keys = peppers.map((pepper) => {
      const derived = (label: string) => Buffer.from(hkdfSync('sha256', pepper, '', label, 32));
      return {
        email: derived('directory: e-mail addresses of people'),
        token: derived('directory: search for people'),
        link: derived('directory: invitation links'),
      };
    });
  }

  /** The hashes of an address, the current one first. The same for addresses that differ in case only. */
  emailHashes(org: string, email: string): Buffer[] {
    return this.keys.map((key) => keyedHash(key.email, `${org}/${email.toLowerCase()}`));
  }

  /** Everything by which a person is found, as it is stored. */
  of(org: string, person: { email: string; name: string }): StoredIndex {
    return {
      emailHashes: this.emailHashes(org, person.email),
      tokens: searchTokensOf(person).map((token) => tokenHash(this.keys[0]!, org, token)),
      pepperId: this.pepperId,
    };
  }

  /** What a person must have to be found: all tokens of one of these lists. A person's tokens have one pepper. */
  tokensOfSearch(org: string, q: string): Buffer[][] {
    const words = tokensOfSearch(q);
    return this.keys.map((key) => words.map((word) => tokenHash(key, org, word)));
  }

  /** The hash under which a new link is stored. */
  linkHash(token: string): Buffer {
    return keyedHash(this.keys[0]!.link, token);
  }

  /** The hashes under which a link may be stored. */
  linkHashes(token: string): Buffer[] {
    return this.keys.map((key) => keyedHash(key.link, token));
  }
}

function tokenHash(key: DerivedKeys, org: string, token: string): Buffer {
  return keyedHash(key.token, `${org}/${token}`).subarray(0, tokenBytes);
}
