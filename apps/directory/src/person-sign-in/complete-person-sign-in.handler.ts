import { Controller, Inject } from '@nestjs/common';
import { completePersonSignIn, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { SignInCeremony } from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { PersonAccess } from '../assignments/person-access.js';
import type { Config } from '../config.js';
import type { PersonStatus } from '../people/person.js';

type Reply = ReplyOf<typeof completePersonSignIn>;

const find = statement(
  'person_passkey_find',
  `SELECT k.credential_id AS "credentialId", k.org, k.person_id AS owner, k.public_key AS "publicKey", k.counter,
     k.device_type AS "deviceType", k.rp_id AS "rpId", p.user_handle AS handle
   FROM person_passkey k JOIN person p ON p.id = k.person_id
   WHERE k.credential_id = $1 AND (k.org = $2 OR p.user_handle = $3) ORDER BY (k.org = $2) DESC LIMIT 1`,
);
/**
 * No row: a response that came meanwhile has used the counter of a passkey that is bound to its device (as
 * `checkCounter` of the passkeys library), or the passkey is gone.
 */
const use = statement(
  'person_passkey_use',
  `WITH used AS (
     UPDATE person_passkey SET counter = greatest(counter, $4), backed_up = $5, last_used_at = $3
     WHERE credential_id = $2 AND org = $1 AND (counter < $4 OR $4 = 0 OR device_type = 'multiDevice')
     RETURNING person_id)
   SELECT p.id, p.status, p.version FROM used JOIN person p ON p.id = used.person_id`,
);
const signedIn = statement('person_signed_in', 'UPDATE person SET last_sign_in_at = $2 WHERE id = $1');

/** Completes the ceremony of a person's sign-in: whose passkey it is, and whether they may use the app. */
@Controller()
export class CompletePersonSignInHandler {
  private readonly ceremony: SignInCeremony;

  constructor(
    private readonly database: Database,
    private readonly access: PersonAccess,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.ceremony = new SignInCeremony(config, 'people');
  }

  @Handles(completePersonSignIn)
  async handle(
    { clientId, response, ...signIn }: RequestOf<typeof completePersonSignIn>,
    { org }: RequestContext,
  ): Promise<Reply> {
    const now = this.clock.now();
    const verified = await this.ceremony.verify(this.database, find, { org, ...signIn }, response, now);
    if (verified.outcome === 'refused') return verified;
    const { passkey, counter, backedUp, counterCheck } = verified;
    if (counterCheck === 'went_back') return { outcome: 'refused', reason: 'counter_went_back', person: passkey.owner };
    const [person] = await this.database.rows<{ id: string; status: PersonStatus; version: number }>(use, [
      org,
      passkey.credentialId,
      now,
      counter,
      backedUp,
    ]);
    if (!person) throw new AppError('passkey_invalid');
    const { id, status, version } = person;
    if (status !== 'active') return { outcome: 'refused', reason: 'deactivated', person: id };
    if (!(await this.access.mayUse(org, id, clientId)))
      return { outcome: 'refused', reason: 'not_assigned', person: id };
    await this.database.rows(signedIn, [id, now]);
    return {
      outcome: 'signed_in',
      person: id,
      version,
      deviceBound: passkey.deviceType === 'singleDevice',
      ...(counterCheck === 'tolerated' && { counterWentBack: true }),
    };
  }
}
