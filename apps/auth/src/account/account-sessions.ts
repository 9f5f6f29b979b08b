import { Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import { accountSessionSeconds } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { AppError, equal, sha256 } from '@holdfast/platform';
import { StateStore } from '../sessions/state-store.js';
import { asAppError } from '../temporarily-unavailable.js';

/** Whose account page is signed in, and with which passkey. */
export interface AccountSession {
  subject: string;
  passkey: string;
}

/** Names a session: the hash of its secret, which the page has, and of the browser's cookie. */
export interface AccountSessionKey {
  session: string;
  browser: string;
}

const model = 'AccountSession';
/** Of one customer: a further sign-in ends the oldest. */
const maxPerCustomer = 5;

const trim = statement(
  'account_session_trim',
  `DELETE FROM oidc_state WHERE (org, model, id) IN (
     SELECT org, model, id FROM oidc_state WHERE org = $1 AND account = $2 AND model = 'AccountSession'
     ORDER BY expires_at DESC, id OFFSET ${maxPerCustomer})`,
);

/**
 * Sessions of customers at their account page, as rows of the issuer's state: what revokes a customer's sign-ins or a
 * passkey revokes them too. One cannot be extended, so that whatever the page changes follows a fresh sign-in.
 */
@Injectable()
export class AccountSessions {
  constructor(
    private readonly store: StateStore,
    private readonly database: Database,
  ) {}

  /** False when the sign-in was revoked meanwhile. @throws unavailable when the organization has too many */
  async create(
    org: string,
    { session, browser }: AccountSessionKey,
    { subject, passkey, version }: AccountSession & { version: number },
  ): Promise<boolean> {
    const payload = { accountId: subject, passkey, browser } as AdapterPayload;
    const stored = await this.store
      .upsert(org, model, session, payload, accountSessionSeconds, { version, passkey })
      .catch(asAppError);
    if (stored) await this.database.rows(trim, [org, subject]);
    return stored;
  }

  /** @throws AppError account_session_ended, also for another browser than the one that signed in */
  async find(org: string, { session, browser }: AccountSessionKey): Promise<AccountSession> {
    const found = (await this.store.find(org, model, session)) as
      { accountId: string; passkey: string; browser: string } | undefined;
    if (!found || !equal(sha256(found.browser), sha256(browser))) throw new AppError('account_session_ended');
    return { subject: found.accountId, passkey: found.passkey };
  }

  async delete(org: string, { session }: AccountSessionKey): Promise<void> {
    await this.store.destroy(org, model, session);
  }
}
