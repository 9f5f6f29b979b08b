import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import { RecordOutbox } from '@holdfast/audit-client';
import { hubClientId, type AuditRecord } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { encryptionKeysOf, sha256 } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { unsealPayload } from '../sessions/sealed-payload.js';
import { SessionRevocations } from '../sessions/session-revocations.js';
import { StateStore } from '../sessions/state-store.js';
import { asAppError } from '../temporarily-unavailable.js';

/** What a hub session knows of the sign-in from which it results. */
export interface HubSession {
  person: string;
  /** Version of the person at the sign-in. */
  version: number;
  /** In seconds since 1970. */
  authTime: number;
  acr?: string;
  amr?: string[];
  /** The session at the issuer and its grant for the hub. Whatever ends them ends the hub session too. */
  sessionUid?: string;
  grantId: string;
  /** In ms since 1970; no use extends the session beyond it. */
  endsAtMs: number;
}

/** A session that has not expired. */
type LiveSession = HubSession & { expiresAt: Date };

const model = 'HubSession';
/** Sessions of one person: a further one ends the one that was used least recently. */
const maxPerPerson = 20;

const extensionStepMs = 60_000;

/**
 * One statement for session and grant, since each gateway runs it once a second for each person who works. A session
 * that was stored while its grant was revoked is not among those that the revocation has deleted.
 */
const find = statement(
  'hub_session_find',
  `SELECT s.id, s.payload, s.expires_at AS "expiresAt"
   FROM (SELECT * FROM oidc_state WHERE org = $1 AND model = 'HubSession' AND id = $2 AND expires_at > $3 OFFSET 0) s,
     LATERAL (SELECT FROM oidc_state
       WHERE org = $1 AND model = 'Grant' AND id = s.grant_id AND expires_at > $3 OFFSET 0) g`,
);
const extend = statement(
  'hub_session_extend',
  `UPDATE oidc_state SET expires_at = $3 WHERE org = $1 AND model = 'HubSession' AND id = $2 AND expires_at < $3`,
);
const trim = statement(
  'hub_session_trim',
  `DELETE FROM oidc_state WHERE (org, model, id) IN (
     SELECT org, model, id FROM oidc_state WHERE org = $1 AND account = $2 AND model = 'HubSession'
     ORDER BY expires_at DESC, id OFFSET ${maxPerPerson})`,
);
const remove = statement(
  'hub_session_delete',
  `DELETE FROM oidc_state WHERE org = $1 AND model = 'HubSession' AND id = $2 RETURNING 1`,
);

/**
 * Sessions of people at their organization's hub, as rows of the issuer's state: what revokes the state of a person, a
 * session or a grant revokes them too, and their number is limited in the same way. A session is stored under a hash of
 * the hash that the gateway sends, so no service can use one that it finds in the database.
 */
@Injectable()
export class HubSessions {
  constructor(
    private readonly store: StateStore,
    private readonly database: Database,
    private readonly revocations: SessionRevocations,
    private readonly records: RecordOutbox,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Undefined when the sign-in was revoked meanwhile. @throws unavailable when the organization has too many */
  async create(
    org: string,
    session: string,
    signIn: Omit<HubSession, 'endsAtMs'>,
  ): Promise<{ expiresInSeconds: number } | undefined> {
    const { person, ...rest } = signIn;
    // From the sign-in on, so that a session that is renewed silently does not last for ever.
    const endsAtMs = signIn.authTime * 1000 + this.config.HUB_SESSION_SECONDS * 1000;
    const expiresInSeconds = Math.floor((endsAtMs - Date.now()) / 1000);
    if (expiresInSeconds < 1) return undefined;
    const idleSeconds = Math.min(expiresInSeconds, this.config.HUB_SESSION_IDLE_SECONDS);
    const payload = { ...rest, accountId: person, endsAtMs } as AdapterPayload;
    const origin = { version: signIn.version, peopleApp: hubClientId(org) };
    const stored = await this.store.upsert(org, model, session, payload, idleSeconds, origin).catch(asAppError);
    if (!stored) return undefined;
    await this.database.rows(trim, [org, person]);
    return { expiresInSeconds };
  }

  /** Undefined for a session that has expired or was ended, by itself or with its grant. */
  async find(org: string, session: string): Promise<LiveSession | undefined> {
    const values = [org, sha256(session), new Date(Date.now())];
    const [row] = await this.database.rows<{ id: Buffer; payload: Buffer; expiresAt: Date }>(find, values);
    if (!row) return undefined;
    const stored = unsealPayload(encryptionKeysOf(this.config), org, model, row);
    const { accountId: person, ...rest } = stored as unknown as Omit<HubSession, 'person'> & { accountId: string };
    return { ...rest, person, expiresAt: row.expiresAt };
  }

  /** A session that is used expires later, until its end. Writes at most once a minute. */
  async extend(org: string, session: string, { endsAtMs, expiresAt }: LiveSession): Promise<void> {
    const untilMs = Math.min(Date.now() + this.config.HUB_SESSION_IDLE_SECONDS * 1000, endsAtMs);
    if (expiresAt.getTime() >= untilMs - extensionStepMs) return;
    await this.database.rows(extend, [org, sha256(session), new Date(untilMs)]);
  }

  async delete(org: string, session: string): Promise<void> {
    await this.database.rows(remove, [org, sha256(session)]);
  }

  /**
   * Ends the session together with that of the issuer, which notifies the other apps; otherwise the next sign-in would
   * need no passkey. The record commits with the first deletion. False when another request has ended it.
   */
  async end(org: string, session: string, { sessionUid }: HubSession, record: AuditRecord): Promise<boolean> {
    const revoked = sessionUid !== undefined && (await this.revocations.revokeSession(org, sessionUid, record));
    const ended = await this.database.transaction(async (sql) => {
      const deleted = (await sql.rows(remove, [org, sha256(session)])).length > 0;
      if (deleted && !revoked) await this.records.add(sql, org, record);
      return deleted || revoked;
    });
    if (ended) await this.records.append(org, record);
    return ended;
  }
}
