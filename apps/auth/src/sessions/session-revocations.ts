import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import { RecordOutbox } from '@holdfast/audit-client';
import type { AuditRecord, IssuanceEvent } from '@holdfast/contracts';
import { Database, statement, type Sql, type Statement } from '@holdfast/data';
import { customerKey, encryptionKeysOf, sha256, type Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { LogoutNotifications } from '../logout/logout-notifications.js';
import { sealPayload, unsealPayload } from './sealed-payload.js';
import {
  authorizationsOf,
  revocationsOf,
  signedInBy,
  type Authorization,
  type SessionRevocation,
} from './session-revocation.js';

/** Committed before state is deleted, so that a later write of the same state is refused. */
const insert = statement(
  'session_revocation_insert',
  `INSERT INTO session_revocation AS e (key, at, erased, version) VALUES ($1, $2, $3, $4)
   ON CONFLICT (key) DO UPDATE SET at = greatest(e.at, excluded.at), erased = e.erased OR excluded.erased,
     version = greatest(e.version, excluded.version)`,
);
const deleteOfCustomer = statement(
  'session_revocation_of_customer',
  `DELETE FROM oidc_state
   WHERE org = $1 AND account = $2 AND ($4 OR (model <> 'Interaction' AND coalesce(version, 0) < $3))
   RETURNING account, model, id, payload`,
);
const deleteOfCredential = statement(
  'session_revocation_of_credential',
  `DELETE FROM oidc_state WHERE org = $1 AND account = $2 AND credential = $4 AND coalesce(version, 0) < $3
   RETURNING account, model, id, payload`,
);
const deleteOfPasskey = statement(
  'session_revocation_of_passkey',
  `DELETE FROM oidc_state
   WHERE org = $1 AND account = $2 AND model <> 'Interaction'
     AND (passkey = $4 OR (passkey IS NULL AND coalesce(version, 0) < $3))
   RETURNING account, model, id, payload`,
);
const deleteOfApp = statement(
  'session_revocation_of_app',
  `DELETE FROM oidc_state WHERE org = $1 AND account = ANY ($2) AND client_id = $3
   RETURNING account, model, id, payload`,
);
const sessionsOf = statement(
  'session_revocation_sessions',
  `SELECT account, model, id, payload FROM oidc_state WHERE org = $1 AND account = ANY ($2) AND model = 'Session'
   ORDER BY id FOR UPDATE`,
);
const updateSession = statement(
  'session_update',
  `UPDATE oidc_state SET payload = $3 WHERE org = $1 AND model = 'Session' AND id = $2`,
);
const deleteSession = statement(
  'session_delete',
  `DELETE FROM oidc_state WHERE org = $1 AND model = 'Session' AND id = $2`,
);
const deleteSessionByUid = statement(
  'session_delete_by_uid',
  `DELETE FROM oidc_state WHERE org = $1 AND model = 'Session' AND uid = $2 RETURNING account, model, id, payload`,
);
/** Account pages are no sessions of apps, and the one that requests it continues. */
const deleteAllOfCustomer = statement(
  'session_delete_of_customer',
  `DELETE FROM oidc_state WHERE org = $1 AND account = $2 AND model NOT IN ('Interaction', 'AccountSession')
   RETURNING account, model, id, payload`,
);
/** A session by the hash of its uid, or a grant that no session shows. */
const deleteOneOfCustomer = statement(
  'session_delete_one_of_customer',
  `DELETE FROM oidc_state WHERE org = $1 AND account = $2
     AND (model = 'Session' AND uid = $3 OR model = 'Grant' AND id = $3)
   RETURNING account, model, id, payload`,
);
const deleteGrants = statement(
  'grant_delete',
  `DELETE FROM oidc_state WHERE org = $1 AND ((model = 'Grant' AND id = ANY ($2)) OR grant_id = ANY ($2))
   RETURNING 1`,
);
const deleteTokens = statement(
  'grant_delete_tokens',
  'DELETE FROM oidc_state WHERE org = $1 AND grant_id = ANY ($2) RETURNING 1',
);
const batchSize = 1000;
/** Few enough that their rows are locked for a fraction of a second. */
const peoplePerTransaction = 200;
/** No session, grant or token lives for 62 days. */
export const deleteOld = statement(
  'session_revocation_delete_old',
  `DELETE FROM session_revocation WHERE key IN (
     SELECT key FROM session_revocation WHERE at < $1::timestamptz - interval '62 days'
     LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);

interface Stored {
  /** Null for a session in which nobody has signed in. */
  account: string | null;
  model: string;
  id: Buffer;
  payload: AdapterPayload;
}

/** Revokes sessions, grants, codes and tokens, and in the same transaction stores the logout notifications for apps. */
@Injectable()
export class SessionRevocations {
  private readonly keys: Keys;

  constructor(
    private readonly database: Database,
    private readonly notifications: LogoutNotifications,
    private readonly records: RecordOutbox,
    @Inject(CONFIG) config: Config,
  ) {
    this.keys = encryptionKeysOf(config);
  }

  /** Revokes what events of issuance revoke. A repeated or late event finds nothing more to revoke. */
  apply(events: readonly IssuanceEvent[]): Promise<void> {
    return this.revoke(revocationsOf(events));
  }

  /** A repeated revocation finds nothing more to revoke. */
  async revoke(revocations: readonly SessionRevocation[]): Promise<void> {
    if (revocations.length === 0) return;
    // Committed before state is deleted: a write that does not see this row is early enough to be found.
    for (const { org, subject, credential, passkey, at, erased, version } of revocations) {
      // A removed passkey never comes back, so nothing that results from it is stored again.
      const values = [customerKey(org, passkey ?? credential ?? subject), at, erased || passkey !== undefined, version];
      await this.database.rows(insert, values);
    }
    await this.database.transaction(async (sql) => {
      for (const revocation of revocations) await this.revokeSessions(sql, revocation);
    });
    this.notifications.wake();
  }

  /**
   * Revokes what people have at an app. Their sessions continue for other apps; one is deleted when no app is left in
   * it. Without the grant no token is stored any more, by a request that is in progress either.
   */
  async revokeAtApp(org: string, people: readonly string[], clientId: string): Promise<void> {
    for (let i = 0; i < people.length; i += peoplePerTransaction) {
      const some = people.slice(i, i + peoplePerTransaction);
      await this.database.transaction(async (sql) => {
        const removed = await this.unseal(sql.rows(deleteOfApp, [org, some, clientId]), org);
        const changed = await this.removeFromSessions(sql, org, some, (app) => app === clientId);
        await this.notify(sql, org, [...removed, ...changed]);
      });
      this.notifications.wake();
    }
  }

  /**
   * Revokes the session of a browser, and notifies all of its apps; false if there is none. The app that requested it
   * is notified too: the sign-out may have begun at one of its servers, and the session be at another.
   */
  async revokeSession(org: string, uid: string, record?: AuditRecord): Promise<boolean> {
    const revoked = await this.database.transaction(async (sql) => {
      const [session] = await this.unseal(sql.rows(deleteSessionByUid, [org, sha256(uid)]), org);
      if (!session) return false;
      if (record) await this.records.add(sql, org, record);
      await sql.rows(deleteGrants, [org, grantsOf(session.payload)]);
      await this.notify(sql, org, [session]);
      return true;
    });
    this.notifications.wake();
    return revoked;
  }

  /**
   * Revokes the sessions of a customer or person with all that results from them, or the one with this id, and notifies
   * its apps. Without a session nothing is recorded here.
   * @returns how many sessions there were, and grants without one
   */
  async revokeOfAccount(org: string, subject: string, only: Buffer | undefined, record: AuditRecord): Promise<number> {
    const ended = await this.database.transaction(async (sql) => {
      const found =
        only === undefined
          ? await this.unseal(sql.rows(deleteAllOfCustomer, [org, subject]), org)
          : await this.unseal(sql.rows(deleteOneOfCustomer, [org, subject, only]), org);
      if (found.length === 0) return 0;
      await this.records.add(sql, org, record);
      const grants = found.flatMap(({ model, id, payload }) =>
        model === 'Session' ? grantsOf(payload) : model === 'Grant' ? [id] : [],
      );
      if (only !== undefined) await sql.rows(deleteGrants, [org, grants]);
      await this.notify(sql, org, found);
      return found.filter(({ model }) => model === 'Session').length || 1;
    });
    if (ended === 0) return 0;
    this.notifications.wake();
    await this.records.append(org, record);
    return ended;
  }

  /** Revokes the tokens of a grant, and with `whole` the grant too; false when nothing was left. */
  revokeGrant(org: string, grantId: string, whole: boolean, record: AuditRecord): Promise<boolean> {
    return this.database.transaction(async (sql) => {
      const deleted = await sql.rows(whole ? deleteGrants : deleteTokens, [org, [sha256(grantId)]]);
      if (deleted.length > 0) await this.records.add(sql, org, record);
      return deleted.length > 0;
    });
  }

  async deleteOld(now: Date): Promise<void> {
    while ((await this.database.rows(deleteOld, [now])).length === batchSize);
  }

  private async revokeSessions(
    sql: Sql,
    { org, subject, version, credential, passkey, erased }: SessionRevocation,
  ): Promise<void> {
    const deleted = await (passkey !== undefined
      ? this.deleteWith(sql, deleteOfPasskey, [org, subject, version, passkey])
      : credential !== undefined
        ? this.deleteWith(sql, deleteOfCredential, [org, subject, version, credential])
        : this.unseal(sql.rows(deleteOfCustomer, [org, subject, version, erased]), org));
    await this.notify(sql, org, deleted);
  }

  /** Apps signed in to with other credentials, or other passkeys, keep theirs. */
  private async deleteWith(
    sql: Sql,
    deletion: Statement,
    values: [org: string, subject: string, version: number, of: string],
  ): Promise<Stored[]> {
    const [org, subject] = values;
    const removed = await this.unseal(sql.rows(deletion, values), org);
    const grants = new Set(removed.filter(({ model }) => model === 'Grant').map(({ id }) => id.toString('base64')));
    const changed = await this.removeFromSessions(
      sql,
      org,
      [subject],
      (_, { grantId }) => grantId !== undefined && grants.has(sha256(grantId).toString('base64')),
    );
    return [...removed, ...changed];
  }

  /**
   * Removes apps from the sessions of a customer or person, and deletes a session when no app is left in it. Returns
   * the sessions with the apps that were removed.
   */
  private async removeFromSessions(
    sql: Sql,
    org: string,
    accounts: readonly string[],
    isRevoked: (clientId: string, authorization: Authorization) => boolean,
  ): Promise<Stored[]> {
    const changed: Stored[] = [];
    for (const { account, id, model, payload } of await this.unseal(sql.rows(sessionsOf, [org, accounts]), org)) {
      const all = authorizationsOf(payload);
      const revoked = all.filter(([clientId, authorization]) => isRevoked(clientId, authorization));
      if (revoked.length === 0) continue;
      const left = all.filter((one) => !revoked.includes(one));
      if (left.length === 0) await sql.rows(deleteSession, [org, id]);
      else
        await sql.rows(updateSession, [
          org,
          id,
          sealPayload(this.keys, org, model, id, { ...payload, authorizations: Object.fromEntries(left) }),
        ]);
      changed.push({ account, id, model, payload: { ...payload, authorizations: Object.fromEntries(revoked) } });
    }
    return changed;
  }

  /** Stores notifications for the apps of revoked state. */
  private async notify(sql: Sql, org: string, revoked: readonly Stored[]): Promise<void> {
    const byAccount = Map.groupBy(revoked, ({ account }) => account);
    const notified = [...byAccount].flatMap(([sub, stored]) =>
      sub === null ? [] : signedInBy(stored).map((app) => ({ ...app, sub })),
    );
    await this.notifications.add(sql, org, notified);
  }

  private async unseal(
    rows: Promise<{ account: string | null; model: string; id: Buffer; payload: Buffer }[]>,
    org: string,
  ): Promise<Stored[]> {
    return (await rows).map(({ account, model, id, payload }) => ({
      account,
      model,
      id,
      payload: unsealPayload(this.keys, org, model, { id, payload }),
    }));
  }
}

/** Hashes of the grants of a session. */
function grantsOf(session: AdapterPayload): Buffer[] {
  return authorizationsOf(session).flatMap(([, { grantId }]) => (grantId === undefined ? [] : sha256(grantId)));
}
