import { generateKeyPairSync } from 'node:crypto';
import { CONFIG } from '@holdfast/bus';
import { CLOCK, seal, unseal, type Clock } from '@holdfast/kit';
import { Database, statement, type Sql } from '@holdfast/data';
import { Inject, Injectable } from '@nestjs/common';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { Config } from '../config.js';

interface KeyRow {
  kid: string;
  private_jwk: Buffer;
  signs: boolean;
}

/** A private key as oidc-provider takes it. */
export type SigningKey = JWK & { kid: string; alg: string };

// The one that signs comes first. A key that does not sign yet is published already: a verifier knows it in time.
const select = statement(
  'signing_keys',
  `SELECT kid, private_jwk, signs_from <= $2 AS signs FROM signing_key WHERE issuer = $1 AND retired_at IS NULL
   ORDER BY signs_from <= $2 DESC, signs_from DESC, kid`,
);
const takeTurn = statement('signing_key_turn', `SELECT pg_advisory_xact_lock(hashtext('auth signing key ' || $1))`);
const insert = statement('signing_key_insert', 'INSERT INTO signing_key (kid, issuer, private_jwk, signs_from) VALUES ($1, $2, $3, $4)');

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

  /** Private keys of an issuer, the one that signs first. Whichever replica comes first makes the first key. */
  async load(issuer: string): Promise<SigningKey[]> {
    const known = await this.read(this.database, issuer);
    if (known.length > 0) return known;
    return this.database.transaction(async (sql) => {
      await sql.rows(takeTurn, [issuer]);
      const made = await this.read(sql, issuer);
      if (made.length > 0) return made;
      await this.create(sql, issuer);
      return this.read(sql, issuer);
    });
  }

  private async read(sql: Sql, issuer: string): Promise<SigningKey[]> {
    const rows = await sql.rows<KeyRow>(select, [issuer, this.clock.now()]);
    return rows.map(({ kid, private_jwk }) => {
      try {
        return JSON.parse(unseal(this.key, private_jwk, contextOf(issuer, kid)).toString()) as SigningKey;
      } catch {
        throw new Error(`KEY_ENCRYPTION_KEY does not open the signing key ${kid}: it is not the one that it was sealed with`);
      }
    });
  }

  /** Ed25519: the cheapest to sign here, and only our own gateway verifies. */
  private async create(sql: Sql, issuer: string): Promise<void> {
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as JWK;
    const kid = await calculateJwkThumbprint(jwk);
    const sealed = seal(this.key, JSON.stringify({ ...jwk, kid, alg: 'EdDSA', use: 'sig' }), contextOf(issuer, kid));
    await sql.rows(insert, [kid, issuer, sealed, this.clock.now()]);
  }
}

function contextOf(issuer: string, kid: string): string {
  return `signing_key ${issuer} ${kid}`;
}

/** The half of a key that may be known: named member by member, so that no private one slips through. */
export function publicJwk({ kty, crv, x, kid, alg }: SigningKey): Record<string, string> {
  return { kty: kty!, crv: crv!, x: x!, kid, alg, use: 'sig' };
}
