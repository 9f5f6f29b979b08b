import { Controller, Inject } from '@nestjs/common';
import { getCustomerAccount, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { isExpired, type CustomerCredential } from '../customer/customer.js';
import { credentialColumns } from '../customer/customer.repository.js';
import { withoutNulls } from '../without-nulls.js';
import { requireStillSignedIn } from './account-access.js';
import { whyMayNotAdd } from './passkey-rules.js';
import { passkeysOf, toPasskey } from './passkeys.repository.js';

const held = statement(
  'account_credentials',
  `SELECT ${credentialColumns} FROM credential c
   WHERE c.subject = $1 AND c.org = $2 AND c.status IN ('issued', 'suspended') ORDER BY c.created_at, c.id`,
);

/** What the account page of a customer shows. */
@Controller()
export class GetCustomerAccountHandler {
  constructor(
    private readonly database: Database,
    private readonly types: CredentialTypes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(getCustomerAccount)
  async handle(
    page: RequestOf<typeof getCustomerAccount>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof getCustomerAccount>> {
    const { subject } = page;
    const passkeys = await passkeysOf(this.database, subject, org);
    requireStillSignedIn(passkeys, page);
    const stored = await this.database.rows<CustomerCredential>(held, [subject, org]);
    const credentials = stored.map((row) => withoutNulls(row));
    const types = await this.types.list(org);
    const now = this.clock.now();
    return {
      credentials: credentials.map((credential) => {
        const { id, type, status, issuedAt, createdAt, expiresAt } = credential;
        const { display = type, renewalWindow } = types.find(({ name }) => name === type) ?? {};
        return {
          id,
          credentialType: { name: type, display },
          state: status === 'suspended' ? 'suspended' : isExpired(credential, now) ? 'expired' : 'live',
          issuedAt: (issuedAt ?? createdAt).toISOString(),
          ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
          renews: expiresAt !== undefined && renewalWindow !== undefined,
        };
      }),
      passkeys: passkeys.map(toPasskey),
      mayAddPasskey: whyMayNotAdd({ credentials, passkeys }, types, now) === undefined,
    };
  }
}
