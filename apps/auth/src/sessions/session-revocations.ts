import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import type { AuditRecord, IssuanceEvent } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { customerKey, sha256 } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { LogoutNotices } from '../logout/logout-notices.js';
import { RecordOutbox } from '../records/record-outbox.js';
import { openPayload, sealPayload } from './sealed-payload.js';
import { authorizationsOf, endingsOf, signedInBy, type Ending } from './session-revocation.js';

/** First the mark, so that a write which comes later is refused; then what is there. */
const mark = statement(
  'ended_mark',
  `INSERT INTO ended_customer AS e (key, at, erased, version) VALUES ($1, $2, $3, $4)
   ON CONFLICT (key) DO UPDATE SET at = greatest(e.at, excluded.at), erased = e.erased OR excluded.erased, version = greatest(e.version, excluded.version)`,
);
const removeOfCustomer = statement(
  'ended_remove_customer',
  `DELETE FROM oidc_state WHERE org = $1 AND account = $2 AND ($4 OR (model <> 'Interaction' AND coalesce(version, 0) < $3)) RETURNING model, id, payload`,
);
const removeOfCredential = statement(
  'ended_remove_credential',
  'DELETE FROM oidc_state WHERE org = $1 AND account = $2 AND credential = $4 AND coalesce(version, 0) < $3 RETURNING model, id, payload',
);
const sessionsOf = statement(
  'ended_sessions',
  `SELECT model, id, payload FROM oidc_state WHERE org = $1 AND account = $2 AND model = 'Session' ORDER BY id FOR UPDATE`,
);
const keepSession = statement(
  'ended_keep_session',
  `UPDATE oidc_state SET payload = $3 WHERE org = $1 AND model = 'Session' AND id = $2`,
);
const removeSession = statement(
  'ended_remove_session',
  `DELETE FROM oidc_state WHERE org = $1 AND model = 'Session' AND id = $2`,
);
const endSession = statement(
  'end_session',
  `DELETE FROM oidc_state WHERE org = $1 AND model = 'Session' AND uid = $2 RETURNING model, id, payload`,
);
const endGrants = statement(
  'end_grants',
  `DELETE FROM oidc_state WHERE org = $1 AND ((model = 'Grant' AND id = ANY ($2)) OR grant_id = ANY ($2)) RETURNING 1`,
);
const endTokens = statement('end_tokens', 'DELETE FROM oidc_state WHERE org = $1 AND grant_id = ANY ($2) RETURNING 1');
/** No session, grant or token lives as long. */
const forgetAtOnce = 1000;
export const forget = statement(
  'ended_forget',
  `DELETE FROM ended_customer WHERE key IN (
     SELECT key FROM ended_customer WHERE at < $1::timestamptz - interval '62 days' LIMIT ${forgetAtOnce} FOR UPDATE SKIP LOCKED) RETURNING 1`,
);

interface Stored {
  model: string;
  id: Buffer;
  payload: AdapterPayload;
}

/** Ends sessions, grants, codes and tokens, and in the same transaction notes which apps must be told. */
@Injectable()
export class Endings {
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    private readonly notices: LogoutNotices,
    private readonly records: RecordOutbox,
    @Inject(CONFIG) config: Config,
  ) {
    this.key = config.KEY_ENCRYPTION_KEY;
  }

  /** What events of issuance end; a repeated or late one finds nothing more to end. */
  async apply(events: readonly IssuanceEvent[]): Promise<void> {
    const endings = endingsOf(events);
    if (endings.length === 0) return;
    // Committed before anything is looked for: a write that does not see the mark is early enough to be found.
    for (const { org, subject, credential, at, erased, version } of endings)
      await this.database.rows(mark, [customerKey(org, credential ?? subject), at, erased, version]);
    await this.database.transaction(async (sql) => {
      for (const ending of endings) await this.end(sql, ending);
    });
    this.notices.wake();
  }

  /** Of one browser; false when it had ended. `except` is the app that asked for it and need not be told. */
  async endSession(org: string, uid: string, except?: string, record?: AuditRecord): Promise<boolean> {
    const ended = await this.database.transaction(async (sql) => {
      const [session] = await this.open(sql.rows(endSession, [org, sha256(uid)]), org);
      if (!session) return false;
      if (record) await this.records.add(sql, org, record);
      const grants = authorizationsOf(session.payload).flatMap(([, { grantId }]) =>
        grantId === undefined ? [] : sha256(grantId),
      );
      await sql.rows(endGrants, [org, grants]);
      const { accountId } = session.payload;
      if (accountId !== undefined)
        await this.notices.add(
          sql,
          org,
          accountId,
          signedInBy([session]).filter(({ clientId }) => clientId !== except),
        );
      return true;
    });
    this.notices.wake();
    return ended;
  }

  /** All that came of a grant, and with `whole` the grant too; false when nothing was left. */
  revoke(org: string, grantId: string, whole: boolean, record: AuditRecord): Promise<boolean> {
    return this.database.transaction(async (sql) => {
      const gone = await sql.rows(whole ? endGrants : endTokens, [org, [sha256(grantId)]]);
      if (gone.length > 0) await this.records.add(sql, org, record);
      return gone.length > 0;
    });
  }

  async forgetOld(now: Date): Promise<void> {
    while ((await this.database.rows(forget, [now])).length === forgetAtOnce);
  }

  private async end(sql: Sql, { org, subject, version, credential, erased }: Ending): Promise<void> {
    const ended = await (credential === undefined
      ? this.open(sql.rows(removeOfCustomer, [org, subject, version, erased]), org)
      : this.endOfCredential(sql, org, [org, subject, version, credential]));
    await this.notices.add(sql, org, subject, signedInBy(ended));
  }

  /** A session goes when no app is left in it; one that other credentials opened apps in goes on without these. */
  private async endOfCredential(sql: Sql, org: string, values: [string, string, number, string]): Promise<Stored[]> {
    const removed = await this.open(sql.rows(removeOfCredential, values), org);
    const grants = new Set(removed.filter(({ model }) => model === 'Grant').map(({ id }) => id.toString('base64')));
    const parts: Stored[] = [];
    for (const { id, model, payload } of await this.open(sql.rows(sessionsOf, [org, values[1]]), org)) {
      const all = authorizationsOf(payload);
      const over = all.filter(
        ([, { grantId }]) => grantId !== undefined && grants.has(sha256(grantId).toString('base64')),
      );
      if (over.length === 0) continue;
      const left = all.filter((one) => !over.includes(one));
      if (left.length === 0) await sql.rows(removeSession, [org, id]);
      else
        await sql.rows(keepSession, [
          org,
          id,
          sealPayload(this.key, org, model, id, { ...payload, authorizations: Object.fromEntries(left) }),
        ]);
      parts.push({ id, model, payload: { ...payload, authorizations: Object.fromEntries(over) } });
    }
    return [...removed, ...parts];
  }

  private async open(rows: Promise<{ model: string; id: Buffer; payload: Buffer }[]>, org: string): Promise<Stored[]> {
    return (await rows).map(({ model, id, payload }) => ({
      model,
      id,
      payload: openPayload(this.key, org, model, { id, payload }),
    }));
  }
}
