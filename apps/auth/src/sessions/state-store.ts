import { hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import { Counter } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { customerKey, keyedHash, sha256 } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { TemporarilyUnavailable } from '../temporarily-unavailable.js';
import type { StateKind } from '../state-limits.js';
import { RowCounts } from './row-counts.js';
import { unsealPayload, sealPayload } from './sealed-payload.js';

/**
 * What came of a sign-in before the customer was erased, their key replaced or their credential ended may not come back
 * by a late write. A sign-in under way comes of none yet.
 */
const upsert = statement(
  'oidc_upsert',
  `INSERT INTO oidc_state (org, model, id, uid, grant_id, account, version, credential, payload, expires_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
   WHERE NOT EXISTS (SELECT 1 FROM session_revocation WHERE key = ANY ($11) AND (erased OR ($2 <> 'Interaction' AND version > coalesce($7, 0))))
   ON CONFLICT (org, model, id) DO UPDATE SET uid = excluded.uid, grant_id = excluded.grant_id, account = excluded.account, version = excluded.version,
     credential = excluded.credential, payload = excluded.payload, expires_at = excluded.expires_at
     WHERE $2 <> 'Interaction' OR oidc_state.consumed_at IS NULL
   RETURNING (xmax = 0) AS inserted`,
);
/** What has expired is gone, also before it is swept: the library looks at times in its payloads, and not always. */
const find = statement(
  'oidc_find',
  'SELECT id, payload, version, consumed_at FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3 AND expires_at > $4',
);
const findByUid = statement(
  'oidc_find_uid',
  'SELECT id, payload, version, consumed_at FROM oidc_state WHERE org = $1 AND model = $2 AND uid = $3 AND expires_at > $4',
);
/** One statement: of many who hold the same code or token, the row lock lets exactly one through. */
const consume = statement(
  'oidc_consume',
  'UPDATE oidc_state SET consumed_at = $4 WHERE org = $1 AND model = $2 AND id = $3 AND consumed_at IS NULL RETURNING 1',
);
/** Used a moment ago, and what came of it has not been used. */
const repeatable = statement(
  'oidc_repeatable',
  `SELECT 1 FROM oidc_state WHERE org = $1 AND model = 'RefreshToken' AND id = $2 AND consumed_at > $4
     AND NOT EXISTS (SELECT 1 FROM oidc_state s WHERE s.org = $1 AND s.model = 'RefreshToken' AND s.id = $3 AND s.consumed_at IS NOT NULL)`,
);
/** Nothing stays of it but that it was. */
const finish = statement(
  'oidc_finish',
  `UPDATE oidc_state SET consumed_at = $4, payload = '', account = NULL, version = NULL WHERE org = $1 AND model = $2 AND id = $3 AND consumed_at IS NULL RETURNING 1`,
);
const destroy = statement('oidc_destroy', 'DELETE FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3');
const grantOf = statement('oidc_grant_of', 'SELECT grant_id FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3');
const revokeModel = statement(
  'oidc_revoke_model',
  'DELETE FROM oidc_state WHERE org = $1 AND model = $2 AND grant_id = $3',
);
const revokeGrants = statement(
  'oidc_revoke_grants',
  `DELETE FROM oidc_state WHERE org = $1 AND model = 'Grant' AND id = ANY ($2) RETURNING id`,
);
const revokeTokens = statement('oidc_revoke_tokens', 'DELETE FROM oidc_state WHERE org = $1 AND grant_id = ANY ($2)');
/** Takes what others are not holding: two replicas never wait for each other. */
const sweep = statement(
  'oidc_sweep',
  `DELETE FROM oidc_state WHERE (org, model, id) IN (
     SELECT org, model, id FROM oidc_state WHERE expires_at < $1::timestamptz - interval '1 minute' LIMIT 1000 FOR UPDATE SKIP LOCKED) RETURNING 1`,
);

/** By the primary key alone. */
const count = statement(
  'oidc_count',
  'SELECT count(*)::int AS n FROM (SELECT 1 FROM oidc_state WHERE org = $1 AND model = $2 LIMIT $3) s',
);
const exists = statement('oidc_exists', 'SELECT 1 FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3');

const refused = new Counter({
  name: 'holdfast_state_refused_total',
  help: 'What was not stored for a sign-in, since its organization had as many rows of the kind as STATE_LIMITS allows',
  labelNames: ['kind'],
});

interface StateRow {
  id: Buffer;
  payload: Buffer;
  version: number | null;
  consumed_at: Date | null;
}

/** What something that is stored came of. */
export interface Origin {
  /** Of the customer, when they signed in. */
  version?: number;
  /** Which one let them in to this app. */
  credential?: string;
}

/**
 * State of the organizations' issuers. The organization is part of every key: what one issuer gave out is nothing to
 * another.
 */
@Injectable()
export class StateStore {
  private readonly key: Buffer;
  private readonly rotationKey: Buffer;
  private readonly graceMs: number;
  private readonly limits: Record<StateKind, number>;
  private readonly counts = new RowCounts((key, limit) => this.count(key, limit));

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.key = config.KEY_ENCRYPTION_KEY;
    this.rotationKey = Buffer.from(hkdfSync('sha256', this.key, '', 'refresh token rotation', 32));
    this.graceMs = config.REFRESH_GRACE_SECONDS * 1000;
    this.limits = config.STATE_LIMITS;
  }

  /**
   * False when nothing was stored, since what it came of has ended.
   * @throws TemporarilyUnavailable when the organization has as many rows of this kind as it may have
   */
  async upsert(
    org: string,
    model: string,
    id: string,
    payload: AdapterPayload,
    seconds: number,
    origin: Origin = {},
  ): Promise<boolean> {
    const hash = sha256(id);
    // The id is left out: whoever presents it knows it, and nobody else needs to.
    const { jti: _, ...rest } = payload;
    const account = accountOf(payload);
    // A session may hold sign-ins by several credentials, and a sign-in under way comes of no grant, though it may
    // remember one.
    const credential = model === 'Session' || model === 'Interaction' ? undefined : origin.credential;
    const version = origin.version ?? (payload.version as number | undefined);
    await this.requireRoom(org, model, hash);
    const stored = await this.database.rows<{ inserted: boolean }>(upsert, [
      org,
      model,
      hash,
      model === 'Session' ? hashed(payload.uid) : null,
      model === 'Interaction' ? null : hashed(payload.grantId),
      account ?? null,
      version ?? null,
      credential ?? null,
      // The time is ours, since oidc-provider counts by it: the database's may be another.
      sealPayload(this.key, org, model, hash, rest),
      new Date(Date.now() + seconds * 1000),
      [account, credential].flatMap((of) => (of === undefined ? [] : customerKey(org, of))),
    ]);
    if (stored[0]?.inserted) this.counts.inserted(`${org} ${model}`);
    return stored.length > 0;
  }

  async find(org: string, model: string, id: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.rows<StateRow>(find, [org, model, sha256(id), new Date(Date.now())]);
    return row && { ...this.open(org, model, row), jti: id };
  }

  /** Without its id, which only its holder knows: for looking at. */
  async findByUid(org: string, model: string, uid: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.rows<StateRow>(findByUid, [org, model, sha256(uid), new Date(Date.now())]);
    return row && this.open(org, model, row);
  }

  /**
   * `refused` for everybody but the first: then somebody else has it too, and all that came of it ends (RFC 9700
   * §2.2.2, §4.14.2). A refresh token that `mayRepeat` is used twice by one client: it gets the same successor once
   * more.
   */
  async consume(
    org: string,
    model: string,
    id: string,
    mayRepeat = false,
  ): Promise<'consumed' | 'repeated' | 'refused'> {
    const key = [org, model, sha256(id)];
    if ((await this.database.rows(consume, [...key, new Date()])).length > 0) return 'consumed';
    if (mayRepeat && (await this.mayRepeat(org, id, (await this.find(org, model, id))?.grantId))) return 'repeated';
    const [row] = await this.database.rows<{ grant_id: Buffer | null }>(grantOf, key);
    if (row?.grant_id) await this.endGrants(org, [row.grant_id]);
    return 'refused';
  }

  /** Whether a refresh token was consumed within the grace period, and its successor is not used yet. */
  async mayRepeat(org: string, id: string, grantId: string | undefined): Promise<boolean> {
    if (this.graceMs === 0 || grantId === undefined) return false;
    const successor = sha256(this.successorOf(org, id, grantId));
    return (
      (await this.database.rows(repeatable, [org, sha256(id), successor, new Date(Date.now() - this.graceMs)])).length >
      0
    );
  }

  /**
   * The refresh token that follows: nobody can tell it who has the token alone, since key and grant are not known
   * outside.
   */
  successorOf(org: string, id: string, grantId: string): string {
    return keyedHash(this.rotationKey, `${org} ${grantId} ${id}`).toString('base64url');
  }

  /** Uses something up, for good, until it would have expired. False for everybody but the first. */
  async finish(org: string, model: string, id: string): Promise<boolean> {
    return (await this.database.rows(finish, [org, model, sha256(id), new Date()])).length > 0;
  }

  async destroy(org: string, model: string, id: string): Promise<void> {
    await this.database.rows(destroy, [org, model, sha256(id)]);
  }

  async revokeByGrantId(org: string, model: string, grantId: string): Promise<void> {
    await this.database.rows(revokeModel, [org, model, sha256(grantId)]);
  }

  /** Removes a thousand rows that have expired; how many there were. */
  async sweep(now: Date): Promise<number> {
    return (await this.database.rows(sweep, [now])).length;
  }

  /** The grant first: without it no token of it is good, and only one of many who revoke goes on. */
  private async endGrants(org: string, hashes: Buffer[]): Promise<void> {
    const ended = await this.database.rows<{ id: Buffer }>(revokeGrants, [org, hashes]);
    if (ended.length > 0) await this.database.rows(revokeTokens, [org, ended.map((row) => row.id)]);
  }

  /** What is there already may change, however many there are. */
  private async requireRoom(org: string, model: string, hash: Buffer): Promise<void> {
    const limit = this.limits[model as StateKind] as number | undefined;
    if (limit === undefined || this.counts.hasRoom(`${org} ${model}`, limit)) return;
    if ((await this.database.rows(exists, [org, model, hash])).length > 0) return;
    refused.inc({ kind: model });
    throw new TemporarilyUnavailable(`the organization has ${limit} rows of ${model}, as many as STATE_LIMITS allows`, {
      dependency: 'state limit',
      cause: 'overloaded',
    });
  }

  private async count(key: string, limit: number): Promise<number> {
    const [row] = await this.database.rows<{ n: number }>(count, [...key.split(' '), limit]);
    return row!.n;
  }

  private open(org: string, model: string, { id, payload, version, consumed_at }: StateRow): AdapterPayload {
    // Of what was used up by finish().
    if (consumed_at && payload.length === 0) return { consumed: Math.floor(consumed_at.getTime() / 1000) };
    const opened = { ...unsealPayload(this.key, org, model, { id, payload }), ...(version !== null && { version }) };
    return consumed_at ? { ...opened, consumed: Math.floor(consumed_at.getTime() / 1000) } : opened;
  }
}

function hashed(id: string | undefined): Buffer | null {
  return id === undefined ? null : sha256(id);
}

/** Whose state this is: of a sign-in under way, whoever is signed in already or is about to be. */
function accountOf({ accountId, session, result }: AdapterPayload): string | undefined {
  return result?.login?.accountId ?? accountId ?? session?.accountId;
}
