import { Inject, Injectable } from '@nestjs/common';
import type { IssuerKey } from '@holdfast/contracts';
import { Database, statement, takeLock, type Sql } from '@holdfast/data';
import { CLOCK, seal, unseal, type Clock } from '@holdfast/platform';
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
  /** Of each algorithm the one that signs comes first. */
  keys: SigningKey[];
  listed: IssuerKey[];
  /** Grows with every change by anybody, in ms. */
  version: number;
  /** When it changes by itself, in ms since 1970. */
  changesAt: number;
}

/** Name of the platform's own keys; that of an organization is issuerOf(). */
export const platform = 'platform';
/** A short ID could be "platform". */
export const issuerOf = (shortId: string) => `o/${shortId}`;
export const algsOf = (issuer: string): SigningAlg[] => (issuer === platform ? ['EdDSA'] : ['RS256', 'ES256']);

const select = statement(
  'signing_keys',
  `SELECT kid, alg, private_jwk, signs_from, (SELECT (extract(epoch FROM max(changed_at)) * 1000)::bigint FROM signing_key WHERE issuer = $1) AS version
   FROM signing_key WHERE issuer = $1 AND retired_at IS NULL`,
);
const insert = statement(
  'signing_key_insert',
  'INSERT INTO signing_key (kid, issuer, alg, private_jwk, signs_from, changed_at) VALUES ($1, $2, $3, $4, $5, clock_timestamp())',
);
/** Two rotations in a row leave one set of keys waiting, not two. */
const retire = statement(
  'signing_key_retire',
  'UPDATE signing_key SET retired_at = $2, changed_at = clock_timestamp() WHERE issuer = $1 AND retired_at IS NULL AND (signs_from > $2 OR $3)',
);

@Injectable()
export class SigningKeys {
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.key = config.KEY_ENCRYPTION_KEY;
  }

  /** Whichever replica comes first makes the first keys. */
  async load(issuer: string): Promise<KeySet> {
    const known = await this.read(this.database, issuer);
    if (known.keys.length > 0) return known;
    return this.inTurn(issuer, async (sql) => {
      const made = await this.read(sql, issuer);
      if (made.keys.length > 0) return made;
      await this.create(sql, issuer, this.clock.now());
      return this.read(sql, issuer);
    });
  }

  /** New keys that sign in `overlap` ms, or now, with the old ones gone. What `within` writes commits with them. */
  async rotate(
    issuer: string,
    { overlap, retireOld }: { overlap: number; retireOld: boolean },
    within: (sql: Sql) => Promise<void>,
  ): Promise<KeySet> {
    await this.load(issuer);
    return this.inTurn(issuer, async (sql) => {
      const now = this.clock.now();
      await sql.rows(retire, [issuer, now, retireOld]);
      await this.create(sql, issuer, new Date(now.getTime() + (retireOld ? 0 : overlap)));
      await within(sql);
      return this.read(sql, issuer);
    });
  }

  private inTurn<T>(issuer: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.database.transaction(async (sql) => {
      await takeLock(sql, `signing key ${issuer}`);
      return work(sql);
    });
  }

  private async read(sql: Sql, issuer: string): Promise<KeySet> {
    const rows = (await sql.rows<KeyRow>(select, [issuer])).map((row) => ({ ...row, signsFrom: row.signs_from }));
    const { keys, changesAt } = planKeys(rows, this.clock.now());
    return {
      keys: keys.map(({ key }) => this.open(issuer, key)),
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

  private open(issuer: string, { kid, private_jwk }: KeyRow): SigningKey {
    try {
      return JSON.parse(unseal(this.key, private_jwk, contextOf(issuer, kid)).toString()) as SigningKey;
    } catch {
      throw new Error(
        `KEY_ENCRYPTION_KEY does not open the signing key ${kid}: it is not the one that it was sealed with`,
      );
    }
  }

  private async create(sql: Sql, issuer: string, signsFrom: Date): Promise<void> {
    for (const jwk of await Promise.all(algsOf(issuer).map(newSigningKey))) {
      await sql.rows(insert, [
        jwk.kid,
        issuer,
        jwk.alg,
        seal(this.key, JSON.stringify(jwk), contextOf(issuer, jwk.kid)),
        signsFrom,
      ]);
    }
  }
}

function contextOf(issuer: string, kid: string): string {
  return `signing_key ${issuer} ${kid}`;
}

/** The half of a platform key that may be known: named member by member, so that no private one slips through. */
export function publicJwk({ kty, crv, x, kid, alg }: SigningKey): Record<string, string> {
  return { kty: kty!, crv: crv!, x: x!, kid, alg, use: 'sig' };
}
