import { Controller, Inject } from '@nestjs/common';
import {
  completeSignIn,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type WebAuthnJson,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { passkeyIdOf, readAuthentication, SignInCeremony } from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { claimColumns, claimOf, isLive, isLiveOfAnyType, type ClaimRow } from './live-credential.js';
import { Renewals } from './renewals.js';

type Used = ClaimRow & { subject: string; version: number; validUntil: Date | null };
type Reply = ReplyOf<typeof completeSignIn>;

const find = statement(
  'passkey_find',
  `SELECT p.credential_id AS "credentialId", p.org, p.subject AS owner, p.public_key AS "publicKey", p.counter,
     p.device_type AS "deviceType", p.rp_id AS "rpId", h.handle
   FROM passkey p JOIN webauthn_user h ON h.subject = p.subject
   WHERE p.credential_id = $1 AND (p.org = $2 OR h.handle = $3) ORDER BY (p.org = $2) DESC LIMIT 1`,
);
/**
 * Stores the highest counter and finds the credential. No row: a response that came meanwhile has used the counter of a
 * passkey that is bound to its device (as `checkCounter` of the passkeys library), or the passkey is gone.
 */
const useOf = (name: string, credential: string) =>
  statement(
    name,
    `WITH used AS (
     UPDATE passkey SET counter = greatest(counter, $5), backed_up = $6, last_used_at = $2
     WHERE credential_id = $4 AND org = $1 AND (counter < $5 OR $5 = 0 OR device_type = 'multiDevice')
     RETURNING subject)
   SELECT used.subject, s.version, c.valid_until AS "validUntil", ${claimColumns}
   FROM used JOIN subject s ON s.id = used.subject LEFT JOIN ${credential}`,
  );
const use = useOf('passkey_use', `credential c ON c.subject = used.subject AND ${isLive}`);
const useAtAccount = useOf(
  'passkey_use_at_account',
  `LATERAL (SELECT * FROM credential c WHERE c.subject = used.subject AND ${isLiveOfAnyType} LIMIT 1) c ON true`,
);

/** By the user handle, so that the indexes of both tables find it. */
const findUnconfirmed = statement(
  'passkey_unconfirmed',
  `SELECT 1 FROM webauthn_user u JOIN passkey_link l ON l.subject = u.subject
   WHERE u.handle = $1 AND u.org = $2 AND NOT l.confirmed AND l.expires_at > $3
     AND l.passkey->>'credentialId' = $4`,
);

/** Completes the ceremony of a sign-in: whose passkey it is, and which credential signs in. */
@Controller()
export class CompleteSignInHandler {
  private readonly ceremony: SignInCeremony;

  constructor(
    private readonly database: Database,
    private readonly renewals: Renewals,
    @Inject(CONFIG) config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.ceremony = new SignInCeremony(config, 'customers');
  }

  @Handles(completeSignIn)
  async completeSignIn(
    { credentialType, anyType, response, ...signIn }: RequestOf<typeof completeSignIn>,
    context: RequestContext,
  ): Promise<Reply> {
    const { org } = context;
    const now = this.clock.now();
    const verified = await this.ceremony.verify(this.database, find, { org, ...signIn }, response, now);
    if (verified.outcome === 'refused')
      return 'removed' in verified && (await this.isUnconfirmed(org, response, now))
        ? { outcome: 'refused', reason: 'unknown_passkey' }
        : verified;
    const { passkey, counter, backedUp, counterCheck } = verified;
    if (counterCheck === 'went_back')
      return { outcome: 'refused', reason: 'counter_went_back', subject: passkey.owner };

    const [used] = await this.database.rows<Used>(anyType ? useAtAccount : use, [
      org,
      now,
      credentialType ?? null,
      passkey.credentialId,
      counter,
      backedUp,
    ]);
    if (!used) throw new AppError('passkey_invalid');
    const { id, subject } = used;
    const credential = claimOf(used);
    if (id === null || !credential) return { outcome: 'refused', reason: 'no_live_credential', subject };
    const signedIn = { ...used, id, passkey: passkey.credentialId };
    const renews = !anyType && (await this.renewals.due(org, signedIn));
    const current = renews ? await this.renewals.renew(signedIn, context) : { credential, version: used.version };
    if (!('lost' in current))
      return {
        outcome: 'signed_in',
        subject,
        ...current,
        passkey: passkeyIdOf(passkey.credentialId),
        deviceBound: passkey.deviceType === 'singleDevice',
        ...(counterCheck === 'tolerated' && { counterWentBack: true }),
      };
    return current.lost === 'passkey'
      ? { outcome: 'refused', reason: 'unknown_passkey' }
      : { outcome: 'refused', reason: 'no_live_credential', subject };
  }

  /** A passkey of another device that waits for its confirmation was not removed, and must not be hidden there. */
  private async isUnconfirmed(org: string, response: WebAuthnJson, now: Date): Promise<boolean> {
    const { credentialId, response: parsed } = readAuthentication(response);
    const handle = Buffer.from(parsed.response.userHandle, 'base64url');
    return (await this.database.rows(findUnconfirmed, [handle, org, now, credentialId])).length > 0;
  }
}
