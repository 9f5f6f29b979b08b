import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { WebhookPublicKey } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { checkPublicJwk, CLOCK, type Clock } from '@holdfast/platform';
import { overlapMs } from '../standard-webhooks/signing-secrets.js';
import { WebhookSecrets } from './secrets.js';

/** How long a process signs with the keys that it has read: a new one is published before it signs. */
const cachedMs = 5000;

interface KeyRow {
  org: string;
  kid: string;
  public_key: WebhookPublicKey;
  private_key: Buffer;
}

const select = statement(
  'webhook_key_select',
  `SELECT org, kid, public_key, private_key FROM webhook_key
    WHERE org = $1 AND (retired_at IS NULL OR retired_at > $2) ORDER BY retired_at IS NOT NULL, created_at DESC, kid`,
);
const insert = statement(
  'webhook_key_insert',
  'INSERT INTO webhook_key (org, kid, public_key, private_key, created_at) VALUES ($1, $2, $3, $4, $5)',
);
const retire = statement(
  'webhook_key_retire',
  'UPDATE webhook_key SET retired_at = $2 WHERE org = $1 AND retired_at IS NULL',
);
const removeRetired = statement('webhook_key_remove', 'DELETE FROM webhook_key WHERE org = $1 AND retired_at <= $2');

/** The keys of an organization that sign messages with Ed25519 (`v1a`). */
@Injectable()
export class WebhookKeys {
  private readonly cache = new Map<string, { readAtMs: number; keys: Promise<string[]> }>();

  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Newest first, the earlier one for a day after its rotation. */
  async publicKeys(sql: Sql, org: string): Promise<WebhookPublicKey[]> {
    return (await this.rows(sql, org)).map((row) => row.public_key);
  }

  /** Private keys in PEM, all of which sign. */
  signingKeys(org: string): Promise<string[]> {
    const known = this.cache.get(org);
    if (known && performance.now() - known.readAtMs < cachedMs) return known.keys;
    const keys = this.rows(this.database, org).then((rows) => rows.map((row) => this.secrets.keyOf(row)));
    this.cache.set(org, { readAtMs: performance.now(), keys });
    keys.catch(() => this.cache.delete(org));
    return keys;
  }

  /** The caller holds the lock of the organization's feed, so that it gets one first key. */
  async ensure(sql: Sql, org: string): Promise<void> {
    if ((await this.rows(sql, org)).length === 0) await this.add(sql, org);
  }

  async rotate(sql: Sql, org: string): Promise<WebhookPublicKey[]> {
    const now = this.clock.now();
    await sql.rows(removeRetired, [org, now]);
    await sql.rows(retire, [org, new Date(now.getTime() + overlapMs)]);
    await this.add(sql, org);
    return this.publicKeys(sql, org);
  }

  private async add(sql: Sql, org: string): Promise<void> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
    const checked = checkPublicJwk({ kty: 'OKP', crv: 'Ed25519', x });
    if (!('id' in checked)) throw new Error(`A new key ${checked.issue}`);
    const kid = checked.id;
    const publicKey = { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
    const sealed = this.secrets.sealKey(org, kid, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    await sql.rows(insert, [org, kid, JSON.stringify(publicKey), sealed, this.clock.now()]);
  }

  private rows(sql: Sql, org: string): Promise<KeyRow[]> {
    return sql.rows<KeyRow>(select, [org, this.clock.now()]);
  }
}
