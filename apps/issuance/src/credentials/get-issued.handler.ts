import { Controller } from '@nestjs/common';
import { customersVisibleTo, getIssued, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { publicCredential, type CustomerCredential } from '../customer/customer.js';
import { credentialColumns } from '../customer/customer.repository.js';
import { withoutNulls } from '../without-nulls.js';

const find = statement(
  'credential_get',
  `SELECT c.subject, ${credentialColumns},
     ARRAY(SELECT p.created_at FROM passkey p WHERE p.subject = c.subject ORDER BY p.created_at) AS "passkeysAddedAt"
   FROM credential c JOIN subject s ON s.id = c.subject
   WHERE c.id = $1 AND s.org = $2 AND s.app = coalesce($3, s.app)`,
);

type Row = CustomerCredential & { subject: string; passkeysAddedAt: Date[] };

/** GET …/credentials/issued/{id}: reads the system of record, which is always current. */
@Controller()
export class GetIssuedHandler {
  constructor(private readonly database: Database) {}

  @Handles(getIssued)
  async getIssued(
    { id }: RequestOf<typeof getIssued>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof getIssued>> {
    const [row] = await this.database.rows<Row>(find, [id, org, customersVisibleTo(actor)]);
    if (!row) throw new AppError('unknown_credential');
    const { subject, passkeysAddedAt, ...credential } = row;
    return publicCredential(
      withoutNulls(credential),
      subject,
      passkeysAddedAt.map((createdAt) => ({ createdAt })),
    );
  }
}
