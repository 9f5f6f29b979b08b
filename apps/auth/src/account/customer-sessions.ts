import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import type { AuditTarget, CustomerSession, RequestContext } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { auditRecord, CLOCK, encryptionKeysOf, sha256, type Clock, type Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import { unsealPayload } from '../sessions/sealed-payload.js';
import { authorizationsOf } from '../sessions/session-revocation.js';
import { SessionRevocations } from '../sessions/session-revocations.js';

const maxListed = 100;

/**
 * The sessions of browsers, and the grants with a refresh token that can still be used. Those of a session are left out
 * when they are shown with it.
 */
const list = statement(
  'customer_sessions',
  `SELECT s.model, s.id, s.uid, s.payload, s.passkey, s.expires_at AS "expiresAt" FROM oidc_state s
   WHERE s.org = $1 AND s.account = $2 AND s.expires_at > $3 AND (s.model = 'Session' OR s.model = 'Grant' AND EXISTS (
     SELECT 1 FROM oidc_state t WHERE t.org = $1 AND t.grant_id = s.id AND t.model = 'RefreshToken'
       AND t.consumed_at IS NULL AND t.expires_at > $3))
   ORDER BY s.expires_at DESC, s.id LIMIT ${maxListed}`,
);

interface Row {
  model: 'Session' | 'Grant';
  id: Buffer;
  uid: Buffer | null;
  payload: Buffer;
  passkey: string | null;
  expiresAt: Date;
}

/** A customer, as the target of audit records. */
export const customerTarget = (id: string): AuditTarget => ({ type: 'customer', id, dataSubject: id });

/** Where a customer is signed in, or a person. */
@Injectable()
export class CustomerSessions {
  private readonly keys: Keys;

  constructor(
    private readonly database: Database,
    private readonly revocations: SessionRevocations,
    private readonly clients: ClientRegistry,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.keys = encryptionKeysOf(config);
  }

  /** Newest first. A session in which nobody has signed in is none. */
  async list(org: string, subject: string): Promise<CustomerSession[]> {
    const rows = await this.database.rows<Row>(list, [org, subject, this.clock.now()]);
    const stored = rows.map((row) => ({ ...row, payload: unsealPayload(this.keys, org, row.model, row) }));
    const inSessions = new Set(
      stored.flatMap(({ model, payload }) => (model === 'Session' ? grantHashesOf(payload) : [])),
    );
    const shown = stored.filter(({ model, id }) => model === 'Session' || !inSessions.has(id.toString('base64url')));
    const sessions = await Promise.all(shown.map((one) => this.sessionOf(one)));
    return sessions.sort((a, b) => b.signedInAt.localeCompare(a.signedInAt));
  }

  /**
   * Ends one of them, or all, with every token; apps are notified as at a sign-out. The record commits with it.
   * @param target the customer or person; their sessions are stored alike
   * @returns how many have ended
   */
  async end(context: RequestContext, target: AuditTarget, only?: string): Promise<number> {
    const { org } = context;
    const record = auditRecord(context, this.clock.now(), {
      action: 'session.end',
      targets: [target],
      outcome: { result: 'success', status: context.actor.type === 'customer' ? 200 : 204 },
    });
    const id = only === undefined ? undefined : Buffer.from(only, 'base64url');
    return this.revocations.revokeOfAccount(org, target.id, id, record);
  }

  private async sessionOf({
    model,
    id,
    uid,
    payload,
    passkey,
    expiresAt,
  }: Omit<Row, 'payload'> & { payload: AdapterPayload }): Promise<CustomerSession> {
    const isSession = model === 'Session';
    const { loginTs, iat = 0, clientId } = payload as { loginTs?: number; iat?: number; clientId?: string };
    const clientIds = isSession ? authorizationsOf(payload).map(([client]) => client) : [clientId!];
    return {
      id: (uid ?? id).toString('base64url'),
      signedInAt: new Date((loginTs ?? iat) * 1000).toISOString(),
      expiresAt: expiresAt.toISOString(),
      ...(passkey !== null && { passkey }),
      apps: await Promise.all(clientIds.map((client) => this.appOf(client))),
      browser: isSession,
    };
  }

  private async appOf(clientId: string): Promise<CustomerSession['apps'][number]> {
    const client = await this.clients.find(clientId);
    return { clientId, name: client?.app.displayName ?? client?.app.name ?? clientId };
  }
}

function grantHashesOf(session: AdapterPayload): string[] {
  return authorizationsOf(session).flatMap(([, { grantId }]) =>
    grantId === undefined ? [] : sha256(grantId).toString('base64url'),
  );
}
