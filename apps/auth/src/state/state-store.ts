import { CONFIG } from '@holdfast/bus';
import { Database, statement } from '@holdfast/data';
import { customerKey, seal, sha256, unseal } from '@holdfast/kit';
import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import type { Config } from '../config.js';

// What was begun before the customer was erased, or before their key was replaced, may not come back by a late write.
const upsert = statement(
  'oidc_upsert',
  `INSERT INTO oidc_state (org, model, id, uid, grant_id, account, since, payload, expires_at)
   SELECT $1, $2, $3, $4, $5, $6, to_timestamp($7), $8, $9
   WHERE NOT EXISTS (SELECT 1 FROM ended_customer WHERE key = $10 AND (erased OR date_trunc('second', at) > to_timestamp($7)))
   ON CONFLICT (org, model, id) DO UPDATE SET uid = excluded.uid, grant_id = excluded.grant_id, account = excluded.account, since = excluded.since,
     payload = excluded.payload, expires_at = excluded.expires_at`,
);
const find = statement('oidc_find', 'SELECT id, payload, consumed_at FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3');
const findByUid = statement('oidc_find_uid', 'SELECT id, payload, consumed_at FROM oidc_state WHERE org = $1 AND model = $2 AND uid = $3');
/** One statement: of many who hold the same code or token, the row lock lets exactly one through. */
const consume = statement(
  'oidc_consume',
  'UPDATE oidc_state SET consumed_at = $4 WHERE org = $1 AND model = $2 AND id = $3 AND consumed_at IS NULL RETURNING 1',
);
const destroy = statement('oidc_destroy', 'DELETE FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3');
const grantOf = statement('oidc_grant_of', 'SELECT grant_id FROM oidc_state WHERE org = $1 AND model = $2 AND id = $3');
const revokeModel = statement('oidc_revoke_model', 'DELETE FROM oidc_state WHERE org = $1 AND model = $2 AND grant_id = $3');
const revokeGrants = statement('oidc_revoke_grants', `DELETE FROM oidc_state WHERE org = $1 AND model = 'Grant' AND id = ANY ($2) RETURNING id`);
const revokeTokens = statement('oidc_revoke_tokens', 'DELETE FROM oidc_state WHERE org = $1 AND grant_id = ANY ($2)');
/** Takes what others are not holding: two replicas never wait for each other. */
const sweep = statement(
  'oidc_sweep',
  `DELETE FROM oidc_state WHERE (org, model, id) IN (
     SELECT org, model, id FROM oidc_state WHERE expires_at < $1::timestamptz - interval '1 minute' LIMIT 1000 FOR UPDATE SKIP LOCKED) RETURNING 1`,
);

interface StateRow {
  id: Buffer;
  payload: Buffer;
  consumed_at: Date | null;
}

/** State of the organizations' issuers. The organization is part of every key: what one issuer gave out is nothing to another. */
@Injectable()
export class StateStore {
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.key = config.KEY_ENCRYPTION_KEY;
  }

  async upsert(org: string, model: string, id: string, payload: AdapterPayload, seconds: number): Promise<void> {
    const hash = sha256(id);
    // Ours, since oidc-provider counts by it: the database's may be another.
    const now = Date.now();
    // A sign-in under way comes of no grant, though it may remember one. The id is left out: whoever presents it knows it, and nobody else needs to.
    const { jti: _, ...rest } = payload;
    const account = accountOf(payload);
    const sealed = seal(this.key, JSON.stringify(rest), contextOf(org, model, hash));
    await this.database.rows(upsert, [
      org, model, hash, model === 'Session' ? hashed(payload.uid) : null, model === 'Interaction' ? null : hashed(payload.grantId), account ?? null,
      payload.loginTs ?? payload.authTime ?? payload.iat ?? Math.floor(now / 1000), sealed, new Date(now + seconds * 1000), account === undefined ? null : customerKey(org, account),
    ]);
  }

  async find(org: string, model: string, id: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.rows<StateRow>(find, [org, model, sha256(id)]);
    return row && { ...this.open(org, model, row), jti: id };
  }

  /** Without its id, which only its holder knows: for looking at. */
  async findByUid(org: string, model: string, uid: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.rows<StateRow>(findByUid, [org, model, sha256(uid)]);
    return row && this.open(org, model, row);
  }

  /** False for everybody but the first. Then somebody else has it too, and all that came of it ends (RFC 9700 §2.2.2, §4.14.2). */
  async consume(org: string, model: string, id: string): Promise<boolean> {
    const key = [org, model, sha256(id)];
    if ((await this.database.rows(consume, [...key, new Date()])).length > 0) return true;
    const [row] = await this.database.rows<{ grant_id: Buffer | null }>(grantOf, key);
    if (row?.grant_id) await this.endGrants(org, [row.grant_id]);
    return false;
  }

  async destroy(org: string, model: string, id: string): Promise<void> {
    await this.database.rows(destroy, [org, model, sha256(id)]);
  }

  async revokeByGrantId(org: string, model: string, grantId: string): Promise<void> {
    await this.database.rows(revokeModel, [org, model, sha256(grantId)]);
  }

  /** Ends grants with everything that came of them. */
  async revoke(org: string, grantIds: string[]): Promise<void> {
    if (grantIds.length > 0) await this.endGrants(org, grantIds.map((id) => sha256(id)));
  }

  async destroySession(org: string, uid: string): Promise<void> {
    await this.database.rows(destroyByUid, [org, sha256(uid)]);
  }

  /** Removes a thousand rows that have run out; how many there were. */
  async sweep(): Promise<number> {
    return (await this.database.rows(sweep, [new Date()])).length;
  }

  /** The grant first: without it no token of it is good, and only one of many who revoke goes on. */
  private async endGrants(org: string, hashes: Buffer[]): Promise<void> {
    const ended = await this.database.rows<{ id: Buffer }>(revokeGrants, [org, hashes]);
    if (ended.length > 0) await this.database.rows(revokeTokens, [org, ended.map((row) => row.id)]);
  }

  private open(org: string, model: string, { id, payload, consumed_at }: StateRow): AdapterPayload {
    const opened = JSON.parse(unseal(this.key, payload, contextOf(org, model, id)).toString()) as AdapterPayload;
    return consumed_at ? { ...opened, consumed: Math.floor(consumed_at.getTime() / 1000) } : opened;
  }
}

const destroyByUid = statement('oidc_destroy_uid', `DELETE FROM oidc_state WHERE org = $1 AND model = 'Session' AND uid = $2`);

function contextOf(org: string, model: string, id: Buffer): string {
  return `oidc_state ${org} ${model} ${id.toString('base64')}`;
}

function hashed(id: string | undefined): Buffer | null {
  return id === undefined ? null : sha256(id);
}

/** Whose state this is: of a sign-in under way, whoever is signed in already or is about to be. */
function accountOf({ accountId, session, result }: AdapterPayload): string | undefined {
  return result?.login?.accountId ?? accountId ?? session?.accountId;
}
