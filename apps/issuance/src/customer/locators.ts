import type { AuditTarget, ErrorCode } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import type { Customer } from './customer.js';

/** How a request names the customer whom it changes. */
export interface CustomerLocator {
  find: (sql: Sql, org: string) => Promise<string | undefined>;
  /** The calling app, of which the customer has to be; undefined for callers that reach those of every app. */
  app?: string;
  /** The error for a customer who does not exist. */
  unknown: ErrorCode;
  /** The targets of the request's audit record, whether it is denied or not. */
  targets?(customer: Customer): AuditTarget[];
}

const subjectOfOffer = statement(
  'customer_of_offer',
  'SELECT subject FROM offer WHERE id = $1 AND org = $2 AND app = coalesce($3, app)',
);
const subjectOfCredential = statement(
  'customer_of_credential',
  `SELECT s.id AS subject FROM credential c JOIN subject s ON s.id = c.subject
   WHERE c.id = $1 AND s.org = $2 AND s.app = coalesce($3, s.app)`,
);

/** Without `app`, here and below: of any app of the organization. */
export function bySubject(subject: string, app?: string): CustomerLocator {
  return {
    find: async () => subject,
    ...(app !== undefined && { app }),
    unknown: 'unknown_subject',
    targets: ({ id }) => [auditTarget('customer', id, id)],
  };
}

export function byOffer(offerId: string, app?: string): CustomerLocator {
  return {
    find: (sql, org) => subjectOf(sql, subjectOfOffer, [offerId, org, app]),
    ...(app !== undefined && { app }),
    unknown: 'unknown_offer',
    targets: ({ id, offers }) => [
      auditTarget('offer', offerId, id),
      auditTarget('customer', id, id),
      ...offers.filter((o) => o.id === offerId).map((o) => auditTarget('credential', o.credentialId, id)),
    ],
  };
}

export function byCredential(credentialId: string, app?: string): CustomerLocator {
  return {
    find: (sql, org) => subjectOf(sql, subjectOfCredential, [credentialId, org, app]),
    ...(app !== undefined && { app }),
    unknown: 'unknown_credential',
    targets: ({ id }) => [auditTarget('credential', credentialId, id), auditTarget('customer', id, id)],
  };
}

/**
 * The customer of a claim token. The record of a denied claim names no customer: a link does not prove who uses it.
 */
export function byClaim(subject: string, app: string): CustomerLocator {
  return { find: async () => subject, app, unknown: 'unknown_claim' };
}

/** The customer of a passkey, whichever app made the first offer. */
export function byPasskey(subject: string): CustomerLocator {
  return { find: async () => subject, unknown: 'unknown_subject' };
}

export function auditTarget(type: AuditTarget['type'], id: string, subject: string): AuditTarget {
  return { type, id, dataSubject: subject };
}

async function subjectOf(sql: Sql, ...query: Parameters<Sql['rows']>): Promise<string | undefined> {
  const [row] = await sql.rows<{ subject: string }>(...query);
  return row?.subject;
}
