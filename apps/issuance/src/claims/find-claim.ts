import { statement, type Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import type { CustomerCredential, CustomerOffer } from '../customer/customer.js';

/** The offer and the credential of a claim token. */
export interface FoundClaim {
  offerId: string;
  subject: string;
  app: string;
  type: string;
  offer: Pick<CustomerOffer, 'status' | 'expiresAt' | 'returnUrl'>;
  credential: Pick<CustomerCredential, 'status' | 'validUntil'>;
}

interface Row {
  offerId: string;
  subject: string;
  app: string;
  type: string;
  offerStatus: CustomerOffer['status'];
  expiresAt: Date;
  returnUrl: string | null;
  credentialStatus: CustomerCredential['status'];
  validUntil: Date | null;
}

const byToken = statement(
  'claim_find',
  `SELECT o.id AS "offerId", o.subject, o.app, o.status AS "offerStatus", o.expires_at AS "expiresAt",
     o.return_url AS "returnUrl", c.type, c.status AS "credentialStatus", c.valid_until AS "validUntil"
   FROM offer o JOIN credential c ON c.id = o.credential WHERE o.token_hash = ANY ($1) AND o.org = $2`,
);

/** @throws AppError unknown_claim, also for a token of another organization or of an erased customer */
export async function findClaim(sql: Sql, tokenHashes: readonly Buffer[], org: string): Promise<FoundClaim> {
  const [row] = await sql.rows<Row>(byToken, [tokenHashes, org]);
  if (!row) throw new AppError('unknown_claim');
  const { offerId, subject, app, type, offerStatus, expiresAt, returnUrl, credentialStatus, validUntil } = row;
  return {
    offerId,
    subject,
    app,
    type,
    offer: { status: offerStatus, expiresAt, ...(returnUrl !== null && { returnUrl }) },
    credential: { status: credentialStatus, ...(validUntil && { validUntil }) },
  };
}
