import { hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { keyedHash } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import { searchTokensOf, tokensOfSearch } from './search-tokens.js';

/** 128 bits: two of the prefixes that people search for never have the same token. */
const tokenBytes = 16;

/**
 * Keyed hashes by which a person is found, while the values are encrypted. Each kind has a key of its own, and each
 * hash includes the organization, so that equal values of two organizations have different hashes.
 */
@Injectable()
export class PersonIndex {
  private readonly emailKey: Buffer;
  private readonly tokenKey: Buffer;
  private readonly linkKey: Buffer;

  constructor(@Inject(CONFIG) { SECRET_PEPPER: pepper }: Pick<Config, 'SECRET_PEPPER'>) {
    const derived = (label: string) => Buffer.from(hkdfSync('sha256', pepper, '', label, 32));
    this.emailKey = derived('directory: e-mail addresses of people');
    this.tokenKey = derived('directory: search for people');
    this.linkKey = derived('directory: invitation links');
  }

  /** The same for addresses that differ in case only. */
  emailHash(org: string, email: string): Buffer {
    return keyedHash(this.emailKey, `${org}/${email.toLowerCase()}`);
  }

  tokensOf(org: string, person: { email: string; name: string }): Buffer[] {
    return searchTokensOf(person).map((token) => this.tokenHash(org, token));
  }

  tokensOfSearch(org: string, q: string): Buffer[] {
    return tokensOfSearch(q).map((token) => this.tokenHash(org, token));
  }

  linkHash(token: string): Buffer {
    return keyedHash(this.linkKey, token);
  }

  private tokenHash(org: string, token: string): Buffer {
    return keyedHash(this.tokenKey, `${org}/${token}`).subarray(0, tokenBytes);
  }
}
