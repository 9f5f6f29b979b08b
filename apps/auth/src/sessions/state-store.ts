import { hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import { Counter } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { customerKey, encryptionKeysOf, keyedHash, sha256, type Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import type { StateOrigin } from '../request-context/issuer-request.js';
import type { StateKind } from '../state-limits.js';
import { TemporarilyUnavailable } from '../temporarily-unavailable.js';
import { RowCounts } from './row-counts.js';
import { sealPayload, unsealPayload } from './sealed-payload.js';
import { upsertState } from './upsert-state.js';

/** Excludes expired rows that are not swept yet. The library does not check every expiration itself. */
const find = statement(
  'oidc_find',
  `SELECT id, payload, version, passkey, consumed_at FROM oidc_state
   WHERE org = $1 AND model = $2 AND id = $3 AND expires_at > $4`,
);
/**
 * A code or token, and the grant that it results from: a caller that presents one needs both. LIMIT keeps the grant to
 * one index lookup: without statistics PostgreSQL joins by reading all grants of the organization
 * (docs/adr/0023-no-planner-statistics.md).
 */
export const findWithGrant = statement(
  'oidc_find_with_grant',
  `SELECT t.id, t.payload, t.version, t.passkey, t.consumed_at, g.id AS grant_id, g.payload AS grant_payload,
     g.version AS grant_version, g.passkey AS grant_passkey
   FROM oidc_state t
     LEFT JOIN LATERAL (
       SELECT id, payload, version, passkey FROM oidc_state
        WHERE org = t.org AND model = 'Grant' AND id = t.grant_id AND expires_at > $4 LIMIT 1) g ON true
   WHERE t.org = $1 AND t.model = $2 AND t.id = $3 AND t.expires_at > $4`,
);
const findByUid = statement(
  'oidc_find_uid',
  `SELECT id, payload, version, passkey, consumed_at FROM oidc_state
   WHERE org = $1 AND model = $2 AND uid = $3 AND expires_at > $4`,
);
/** One statement, so that of concurrent requests with the same code or token the row lock admits exactly one. */
const consume = statement(
  'oidc_consume',
  `UPDATE oidc_state SET consumed_at = $4
   WHERE org = $1 AND model = $2 AND id = $3 AND consumed_at IS NULL RETURNING 1`,
);
/** Finds a refresh token that was consumed within the grace period and whose successor is not consumed. */
const repeatable = statement(
  'oidc_repeatable',
  `SELECT 1 FROM oidc_state WHERE org = $1 AND model = 'RefreshToken' AND id = $2 AND consumed_at > $4
     AND NOT EXISTS (
       SELECT 1 FROM oidc_state s
       WHERE s.org = $1 AND s.model = 'RefreshToken' AND s.id = ANY ($3) AND s.consumed_at IS NOT NULL)`,
);
/** Keeps the row, so that the id cannot be used again, and nothing of its content. */
const finish = statement(
  'oidc_finish',
  `UPDATE oidc_state SET consumed_at = $4, payload = '', account = NULL, version = NULL, passkey = NULL
   WHERE org = $1 AND model = $2 AND id = $3 AND consumed_at IS NULL RETURNING 1`,
);
/** One statement, so that of concurrent requests with the same assertion or proof the key admits exactly one. */
const insertUsed = statement(
  'oidc_use_once',
  `INSERT INTO oidc_state (org, model, id, payload, expires_at) VALUES ($1, $2, $3, '', $4)
   ON CONFLICT (org, model, id) DO NOTHING RETURNING 1`,
);
/** One statement, so that of concurrent requests with the same reference one gets the pushed authorization request. */
const take = statement(
  'oidc_take',
  `DELETE FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3 AND expires_at > $4
   RETURNING id, payload, version, passkey, consumed_at`,
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
/** Rows that one statement deletes. */
export const sweepBatchSize = 1000;
/** Skips rows that another replica has locked, so that replicas never wait for each other. */
const sweep = statement(
  'oidc_sweep',
  `DELETE FROM oidc_state WHERE (org, model, id) IN (
     SELECT org, model, id FROM oidc_state WHERE expires_at < $1::timestamptz - interval '1 minute'
     LIMIT ${sweepBatchSize} FOR UPDATE SKIP LOCKED) RETURNING 1`,
);

/** Uses the primary key only. */
const count = statement(
  'oidc_count',
  'SELECT count(*)::int AS n FROM (SELECT 1 FROM oidc_state WHERE org = $1 AND model = $2 LIMIT $3) s',
);
const exists = statement('oidc_exists', 'SELECT 1 FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3');

const rejected = new Counter({
  name: 'holdfast_state_refused_total',
  help: 'Rows of sign-ins that were not stored, since the organization had as many of the kind as STATE_LIMITS allows',
  labelNames: ['kind'],
});

interface StateRow {
  id: Buffer;
  payload: Buffer;
  version: number | null;
  passkey: string | null;
  consumed_at: Date | null;
}

interface TokenRow extends StateRow {
  grant_id: Buffer | null;
  grant_payload: Buffer;
  grant_version: number | null;
  grant_passkey: string | null;
}

/** State of one app. A session may have several, and a sign-in in progress has led to none. */
const ofOneApp = new Set(['Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken', 'HubSession']);

/** State of the organizations' issuers. The organization is part of every key, so issuers cannot use each other's. */
@Injectable()
export class StateStore {
  private readonly keys: Keys;
  /** The first derives successors; the others may have derived one that was given out before. */
  private readonly rotationKeys: readonly Buffer[];
  private readonly graceMs: number;
  private readonly limits: Record<StateKind, number>;
  private readonly counts = new RowCounts((key, limit) => this.count(key, limit));

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.keys = encryptionKeysOf(config);
    this.rotationKeys = this.keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'refresh token rotation', 32)));
    this.graceMs = config.REFRESH_GRACE_SECONDS * 1000;
    this.limits = config.STATE_LIMITS;
  }

  /**
   * Stores state; false when its sign-in is revoked and nothing was stored.
   * @throws TemporarilyUnavailable when the organization has the maximum of rows of this kind
   */
  async upsert(
    org: string,
    model: string,
    id: string,
    payload: AdapterPayload,
    seconds: number,
    origin: StateOrigin = {},
  ): Promise<boolean> {
    const hash = sha256(id);
    // The id is left out, since the caller who presents it knows it.
    const { jti: _, ...rest } = payload;
    const account = accountOf(payload);
    // A session may have sign-ins with several credentials. A sign-in in progress may contain a grant, but does not
    // result from it.
    const credential = model === 'Session' || model === 'Interaction' ? undefined : origin.credential;
    const version = origin.version ?? (payload.version as number | undefined);
    const passkey = origin.passkey ?? passkeyOf(payload);
    await this.requireRoom(org, model, hash);
    const values = upsertState.values({
      revocationKeys: [account, credential, passkey].flatMap((of) => (of === undefined ? [] : customerKey(org, of))),
      org,
      model,
      id: hash,
      uid: model === 'Session' ? hashed(payload.uid) : model === 'DeviceCode' ? hashed(payload.userCode) : null,
      grant_id: model === 'Interaction' ? null : hashed(payload.grantId),
      account,
      version,
      credential,
      passkey,
      payload: sealPayload(this.keys, org, model, hash, rest),
      // By this process's clock, which oidc-provider uses as well.
      expires_at: new Date(Date.now() + seconds * 1000),
      client_id: ofOneApp.has(model) ? origin.peopleApp : null,
    });
    const stored = await this.database.rows<{ inserted: boolean }>(upsertState, values);
    if (stored[0]?.inserted) this.counts.inserted(`${org} ${model}`);
    return stored.length > 0;
  }

  /** False for an id of this kind that was used before. @throws TemporarilyUnavailable */
  async useOnce(org: string, kind: 'ReplayDetection' | 'UsedProof', id: string, seconds: number): Promise<boolean> {
    const hash = sha256(id);
    await this.requireRoom(org, kind, hash);
    const expiresAt = new Date(Date.now() + seconds * 1000);
    const first = (await this.database.rows(insertUsed, [org, kind, hash, expiresAt])).length > 0;
    if (first) this.counts.inserted(`${org} ${kind}`);
    return first;
  }

  async find(org: string, model: string, id: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.rows<StateRow>(find, [org, model, sha256(id), new Date(Date.now())]);
    return row && { ...this.unseal(org, model, row), jti: id };
  }

  /** Finds state and deletes it: of any number of requests one gets it. */
  async take(org: string, model: string, id: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.rows<StateRow>(take, [org, model, sha256(id), new Date(Date.now())]);
    return row && { ...this.unseal(org, model, row), jti: id };
  }

  /** Finds a code or token together with its grant, in one statement. */
  async findWithGrant(
    org: string,
    model: string,
    id: string,
  ): Promise<{ token: AdapterPayload; grant?: AdapterPayload } | undefined> {
    const [row] = await this.database.rows<TokenRow>(findWithGrant, [org, model, sha256(id), new Date(Date.now())]);
    if (!row) return undefined;
    const token = { ...this.unseal(org, model, row), jti: id };
    if (row.grant_id === null || token.grantId === undefined) return { token };
    const { grant_id: grantId, grant_payload: payload, grant_version: version, grant_passkey: passkey } = row;
    const stored = { id: grantId, payload, version, passkey, consumed_at: null };
    return { token, grant: { ...this.unseal(org, 'Grant', stored), jti: token.grantId } };
  }

  /** Without its id, which only the browser has. */
  async findByUid(org: string, model: string, uid: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.rows<StateRow>(findByUid, [org, model, sha256(uid), new Date(Date.now())]);
    return row && this.unseal(org, model, row);
  }

  /**
   * Consumes a code or token. A second use is `refused` and revokes everything that results from it, since somebody
   * else may have it (RFC 9700 §2.2.2, §4.14.2). With `mayRepeat` a refresh token within its grace period is `repeated`
   * instead, and gets the same successor again.
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
    if (row?.grant_id) await this.deleteGrants(org, [row.grant_id]);
    return 'refused';
  }

  /** Whether a refresh token was consumed within the grace period, and its successor is not consumed. */
  async mayRepeat(org: string, id: string, grantId: string | undefined): Promise<boolean> {
    if (this.graceMs === 0 || grantId === undefined) return false;
    const successors = this.rotationKeys.map((key) => sha256(successor(key, org, id, grantId)));
    const consumedAfter = new Date(Date.now() - this.graceMs);
    return (await this.database.rows(repeatable, [org, sha256(id), successors, consumedAfter])).length > 0;
  }

  /** The next refresh token. It cannot be derived from the token alone, since key and grant are secret. */
  successorOf(org: string, id: string, grantId: string): string {
    return successor(this.rotationKeys[0]!, org, id, grantId);
  }

  /** Consumes a row and clears its content. It stays consumed until it expires; false when it was consumed before. */
  async finish(org: string, model: string, id: string): Promise<boolean> {
    return (await this.database.rows(finish, [org, model, sha256(id), new Date()])).length > 0;
  }

  async destroy(org: string, model: string, id: string): Promise<void> {
    await this.database.rows(destroy, [org, model, sha256(id)]);
  }

  async revokeByGrantId(org: string, model: string, grantId: string): Promise<void> {
    await this.database.rows(revokeModel, [org, model, sha256(grantId)]);
  }

  /** Deletes up to `sweepBatchSize` expired rows, and returns how many. */
  async sweep(now: Date): Promise<number> {
    return (await this.database.rows(sweep, [now])).length;
  }

  /** Deletes the grant first: its tokens are invalid without it, and one of concurrent calls deletes the tokens. */
  private async deleteGrants(org: string, hashes: Buffer[]): Promise<void> {
    const deleted = await this.database.rows<{ id: Buffer }>(revokeGrants, [org, hashes]);
    if (deleted.length > 0) await this.database.rows(revokeTokens, [org, deleted.map((row) => row.id)]);
  }

  /** Existing rows may change, also beyond the limit. @throws TemporarilyUnavailable */
  private async requireRoom(org: string, model: string, hash: Buffer): Promise<void> {
    const limit = this.limits[model as StateKind] as number | undefined;
    if (limit === undefined || this.counts.hasRoom(`${org} ${model}`, limit)) return;
    if ((await this.database.rows(exists, [org, model, hash])).length > 0) return;
    rejected.inc({ kind: model });
    throw new TemporarilyUnavailable(`the organization has ${limit} rows of ${model}, the maximum of STATE_LIMITS`, {
      dependency: 'state limit',
      cause: 'overloaded',
    });
  }

  private async count(key: string, limit: number): Promise<number> {
    const [row] = await this.database.rows<{ n: number }>(count, [...key.split(' '), limit]);
    return row!.n;
  }

  private unseal(org: string, model: string, { id, payload, version, passkey, consumed_at }: StateRow): AdapterPayload {
    const consumed = consumed_at && { consumed: Math.floor(consumed_at.getTime() / 1000) };
    // finish() has cleared the content.
    if (consumed && payload.length === 0) return consumed;
    return {
      ...unsealPayload(this.keys, org, model, { id, payload }),
      ...(version !== null && { version }),
      ...(passkey !== null && { passkey }),
      ...consumed,
    };
  }
}

function successor(key: Buffer, org: string, id: string, grantId: string): string {
  return keyedHash(key, `${org} ${grantId} ${id}`).toString('base64url');
}

function hashed(id: string | undefined): Buffer | null {
  return id === undefined ? null : sha256(id);
}

/** Whose state this is. For a sign-in in progress: who completed it, or else who is signed in already. */
function accountOf({ accountId, session, result }: AdapterPayload): string | undefined {
  return result?.login?.accountId ?? accountId ?? session?.accountId;
}

/** For a sign-in in progress: the passkey that completed it. */
function passkeyOf({ passkey, result }: AdapterPayload): string | undefined {
  return ((result?.login as { passkey?: string } | undefined)?.passkey ?? passkey) as string | undefined;
}
