import { Inject, Injectable } from '@nestjs/common';
import type { IssuerKey } from '@holdfast/contracts';
import { Database, statement, takeLock, type Sql } from '@holdfast/data';
import { AppError, CLOCK, encryptionKeysOf, seal, unseal, type Clock, type Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { newSigningKey, type SigningAlg, type SigningKey } from './key-pair.js';
import { planKeys } from './key-states.js';

interface KeyRow {
  kid: string;
  alg: string;
  private_jwk: Buffer;
  signs_from: Date;
  version: number;
}

export interface KeySet {
  /** The signing key of each algorithm comes first. */
  keys: SigningKey[];
  /** The same keys without private parts, for operators. */
  listed: IssuerKey[];
  /** Grows with every change by any replica, in ms since 1970. */
  version: number;
  /** When the set changes by itself, in ms since 1970. */
  changesAt: number;
}

/** `issuer` of the platform's keys. */
export const platform = 'platform';
/** `issuer` of an organization's keys. The prefix keeps an organization with the short ID "platform" apart. */
export const issuerOf = (shortId: string) => `o/${shortId}`;
const algsOf = (issuer: string): SigningAlg[] => (issuer === platform ? ['EdDSA'] : ['RS256', 'ES256']);

const select = statement(
  'signing_keys',
  `SELECT kid, alg, private_jwk, signs_from,
     (SELECT (extract(epoch FROM max(changed_at)) * 1000)::bigint FROM signing_key WHERE issuer = $1) AS version
   FROM signing_key WHERE issuer = $1 AND retired_at IS NULL`,
);
const insert = statement(
  'signing_key_insert',
  `INSERT INTO signing_key (kid, issuer, alg, private_jwk, signs_from, changed_at)
   VALUES ($1, $2, $3, $4, $5, clock_timestamp())`,
);
/** Also retires keys that do not sign yet, so that two rotations in a row leave one set of next keys. */
const retire = statement(
  'signing_key_retire',
  `UPDATE signing_key SET retired_at = $2, changed_at = clock_timestamp()
   WHERE issuer = $1 AND retired_at IS NULL AND (signs_from > $2 OR $3)`,
);

@Injectable()
export class SigningKeys {
  private readonly encryptionKeys: Keys;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.encryptionKeys = encryptionKeysOf(config);
  }

  /** The keys of an issuer. The first replica that needs them creates the first ones. */
  async load(issuer: string): Promise<KeySet> {
    const stored = await this.read(this.database, issuer);
    if (stored.keys.length > 0) return stored;
    const generated = await newKeys(issuer);
    return this.withLock(issuer, async (sql) => {
      const created = await this.read(sql, issuer);
      if (created.keys.length > 0) return created;
      await this.store(sql, issuer, generated, this.clock.now());
      return this.read(sql, issuer);
    });
  }

  /**
   * Creates new keys, which sign after `overlapMs`; with `retireOld` they sign at once and replace all others.
   * `inTransaction` runs in the same transaction.
   * @throws invalid_state with `oneAtATime`, while new keys do not sign yet
   */
  async rotate(
    issuer: string,
    { overlapMs, retireOld, oneAtATime = false }: { overlapMs: number; retireOld: boolean; oneAtATime?: boolean },
    inTransaction: (sql: Sql) => Promise<void>,
  ): Promise<KeySet> {
    const before = await this.load(issuer);
    // Before keys are generated, which costs most, and again under the lock.
    if (oneAtATime) requireNoneNext(before);
    const generated = await newKeys(issuer);
    return this.withLock(issuer, async (sql) => {
      if (oneAtATime) requireNoneNext(await this.read(sql, issuer));
      const now = this.clock.now();
      await sql.rows(retire, [issuer, now, retireOld]);
      await this.store(sql, issuer, generated, new Date(now.getTime() + (retireOld ? 0 : overlapMs)));
      await inTransaction(sql);
      return this.read(sql, issuer);
    });
  }

  private withLock<T>(issuer: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.database.transaction(async (sql) => {
      await takeLock(sql, `signing key ${issuer}`);
      return work(sql);
    });
  }

  private async read(sql: Sql, issuer: string): Promise<KeySet> {
    const rows = (await sql.rows<KeyRow>(select, [issuer])).map((row) => ({ ...row, signsFrom: row.signs_from }));
    const { keys, changesAt } = planKeys(rows, this.clock.now());
    return {
      keys: keys.map(({ key }) => this.unseal(issuer, key)),
      listed: keys.map(({ key: { kid, alg, signsFrom }, state }) => ({
        kid,
        alg,
        state,
        signsFrom: signsFrom.toISOString(),
      })),
      version: rows[0]?.version ?? 0,
      changesAt,
    };
  }

  private unseal(issuer: string, { kid, private_jwk }: KeyRow): SigningKey {
    try {
      return JSON.parse(
        unseal(this.encryptionKeys, private_jwk, signingKeyContext(issuer, kid)).toString(),
      ) as SigningKey;
    } catch {
      throw new Error(
        `KEY_ENCRYPTION_KEY cannot decrypt the signing key ${kid}. Configure the key with which it was encrypted, as ` +
          'KEY_ENCRYPTION_KEY or as KEY_ENCRYPTION_KEY_PREVIOUS.',
      );
    }
  }

  private async store(sql: Sql, issuer: string, keys: SigningKey[], signsFrom: Date): Promise<void> {
    for (const jwk of keys) {
      await sql.rows(insert, [
        jwk.kid,
        issuer,
        jwk.alg,
        seal(this.encryptionKeys[0], JSON.stringify(jwk), signingKeyContext(issuer, jwk.kid)),
        signsFrom,
      ]);
    }
  }
}

/**
 * Generated before a transaction begins: an RSA key takes seconds on a busy machine, and PostgreSQL ends a connection
 * that is idle in a transaction for three.
 */
const newKeys = (issuer: string) => Promise.all(algsOf(issuer).map(newSigningKey));

function requireNoneNext({ listed }: KeySet): void {
  const next = listed.find(({ state }) => state === 'next');
  if (next)
    throw new AppError(
      'invalid_state',
      `The keys of the last rotation sign from ${next.signsFrom} on. Rotate again after that. Nothing was changed.`,
    );
}

export function signingKeyContext(issuer: string, kid: string): string {
  return `signing_key ${issuer} ${kid}`;
}

/** The public members of a platform key, listed one by one so that no private member can leave. */
export function publicJwk({ kty, crv, x, kid, alg }: SigningKey): Record<string, string> {
  return { kty: kty!, crv: crv!, x: x!, kid, alg, use: 'sig' };
}
