import { Injectable } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import { operationsOfOffer, type Maker } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import type { CustomerCredential, CustomerOffer } from '../customer/customer.js';
import { isEnded, toExistingCustomer } from '../offers/ended-rights/ended-offer-rights.js';

/** The offer and the credential of a claim token. */
export interface FoundClaim {
  offerId: string;
  subject: string;
  app: string;
  type: string;
  offer: Pick<CustomerOffer, 'status' | 'expiresAt' | 'returnUrl'>;
  credential: Pick<CustomerCredential, 'status' | 'validUntil'>;
  /** The claim adds a passkey to the credential. */
  adds: boolean;
  /** The claim removes the earlier passkeys of the customer, as `claimed` decides. */
  replacesPasskeys: boolean;
  /** User handle of the passkey that replaces them, once such a claim has begun. */
  nextHandle?: Buffer;
}

interface Row {
  offerId: string;
  subject: string;
  app: string;
  type: string;
  offerStatus: CustomerOffer['status'];
  expiresAt: Date;
  returnUrl: string | null;
  adds: boolean;
  credentialStatus: CustomerCredential['status'];
  validUntil: Date | null;
  replacesPasskeys: boolean;
  nextHandle: Buffer | null;
  person: string | null;
  existingCustomer: boolean;
  ended: boolean;
}

const byToken = statement(
  'claim_find',
  `SELECT o.id AS "offerId", o.subject, o.app, o.status AS "offerStatus", o.expires_at AS "expiresAt",
     o.return_url AS "returnUrl", o.adds, c.type, c.status AS "credentialStatus", c.valid_until AS "validUntil",
     NOT o.adds AND (c.status = 'issued' OR EXISTS (SELECT 1 FROM credential r WHERE r.subject = c.subject
       AND r.type = c.type AND r.status = 'revoked' AND r.issued_at IS NOT NULL)) AS "replacesPasskeys",
     u.next_handle AS "nextHandle", o.person,
     ${toExistingCustomer} AS "existingCustomer", ${isEnded} AS ended
   FROM offer o JOIN credential c ON c.id = o.credential JOIN subject s ON s.id = o.subject
     LEFT JOIN webauthn_user u ON u.subject = o.subject
   WHERE o.token_hash = ANY ($1) AND o.org = $2`,
);

/**
 * Finds the offer of a claim token. An open offer whose maker may not make such offers any more counts as withdrawn.
 * That its events have not arrived yet changes nothing: directory is asked at each step of a claim, and without an
 * answer there is none (docs/adr/0074-what-was-prepared-ends-with-its-right.md).
 */
@Injectable()
export class Claims {
  constructor(
    private readonly database: Database,
    private readonly rights: MakerRights,
  ) {}

  /**
   * @throws AppError unknown_claim, also for a token of another organization or of an erased customer; unavailable when
   *   the rights of the maker are unknown
   */
  async find(tokenHashes: readonly Buffer[], org: string): Promise<FoundClaim> {
    const [row] = await this.database.rows<Row>(byToken, [tokenHashes, org]);
    if (!row) throw new AppError('unknown_claim');
    const { offerId, subject, app, type, expiresAt, returnUrl, adds, credentialStatus, validUntil, replacesPasskeys } =
      row;
    const status = row.offerStatus === 'open' && !(await this.mayBeClaimed(row, org)) ? 'withdrawn' : row.offerStatus;
    return {
      offerId,
      subject,
      app,
      type,
      offer: { status, expiresAt, ...(returnUrl !== null && { returnUrl }) },
      credential: { status: credentialStatus, ...(validUntil && { validUntil }) },
      adds,
      replacesPasskeys,
      ...(replacesPasskeys && row.nextHandle && { nextHandle: row.nextHandle }),
    };
  }

  private async mayBeClaimed({ app, person, existingCustomer, ended }: Row, org: string): Promise<boolean> {
    if (ended) return false;
    const maker: Maker = person === null ? { type: 'app', id: app } : { type: 'person', id: person };
    return this.rights.has(org, maker, ...operationsOfOffer({ existingCustomer }, maker));
  }
}
