import type { z } from 'zod';
import type { invitationLinkSchema, Maker, Role } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { ceremonies, type Binding } from '@holdfast/passkeys';
import { AppError } from '@holdfast/platform';
import type { PersonStatus } from '../person.js';
import { refusalToIssueLink, type Caller } from '../role-rules.js';

/** What decides whether a link can be accepted. */
export interface LinkFacts {
  status: 'open' | 'accepted' | 'withdrawn' | 'superseded';
  recovery: boolean;
  expiresAt: Date;
  person: string;
  personStatus: PersonStatus;
  personRoles: Role[];
  /** Of the person when the link was issued; null of a link from before these were stored. */
  rolesWhenIssued: Role[] | null;
  issuerType: Maker['type'] | null;
  /** Null when the issuer is no person, or is not active any more. */
  issuer: string | null;
  issuerRoles: Role[] | null;
}

/** An invitation as found by the token of its link. */
export interface Invitation extends LinkFacts {
  id: string;
  org: string;
  userHandle: Buffer;
  /** Of the passkey that a recovery creates, once one has begun. */
  nextUserHandle: Buffer | null;
}

export type InvitationState = z.infer<typeof invitationLinkSchema>['state'];

/** Derived from the time and from the rights of now: no job has to end a link. */
export function stateOf(link: LinkFacts, now: Date): InvitationState {
  if (link.status === 'superseded') return 'withdrawn';
  if (link.status !== 'open') return link.status;
  if (!isStillValid(link)) return 'withdrawn';
  return link.expiresAt <= now ? 'expired' : 'open';
}

/**
 * Whether the person is as they were when the link was issued, and its issuer could issue it today. Changes of people
 * withdraw such links at once; this holds even if one was missed.
 */
function isStillValid(link: LinkFacts): boolean {
  const { person: id, personRoles: roles, personStatus, recovery, rolesWhenIssued } = link;
  if (personStatus !== (recovery ? 'active' : 'invited')) return false;
  if (rolesWhenIssued?.toSorted().join() !== roles.toSorted().join()) return false;
  const issuer = issuerOf(link);
  return issuer !== undefined && refusalToIssueLink(issuer, { id, roles }) === undefined;
}

function issuerOf({ issuerType, issuer, issuerRoles }: LinkFacts): Caller | undefined {
  if (issuerType === 'operator') return { operator: true };
  return issuerType === 'person' && issuer !== null && issuerRoles !== null
    ? { id: issuer, roles: issuerRoles }
    : undefined;
}

/** @throws invitation_accepted, invitation_expired, invitation_withdrawn */
export function requireOpen(state: InvitationState): void {
  if (state !== 'open') throw new AppError(`invitation_${state}`);
}

const byToken = statement(
  'invitation_find',
  `SELECT i.id, i.org, i.person_id AS person, p.user_handle AS "userHandle",
     CASE WHEN i.replaces_passkeys THEN p.next_user_handle END AS "nextUserHandle", i.status,
     i.replaces_passkeys AS recovery, i.expires_at AS "expiresAt", p.status AS "personStatus",
     p.roles AS "personRoles", i.person_roles AS "rolesWhenIssued", i.issued_by_type AS "issuerType",
     issuer.id AS issuer, issuer.roles AS "issuerRoles"
   FROM invitation i
     JOIN person p ON p.id = i.person_id
     JOIN organization o ON o.short_id = i.org AND NOT o.suspended
     LEFT JOIN person issuer ON issuer.id = i.issued_by AND issuer.org = i.org AND issuer.status = 'active'
   WHERE i.token_hash = ANY ($1) AND i.org = $2`,
);

/** @throws unknown_invitation, also for a link of another or a suspended organization, or of a removed person */
export async function findInvitation(sql: Sql, tokenHashes: readonly Buffer[], org: string): Promise<Invitation> {
  const [row] = await sql.rows<Invitation>(byToken, [tokenHashes, org]);
  if (!row) throw new AppError('unknown_invitation');
  return row;
}

/**
 * A challenge is valid for its invitation and browser only, and is deleted with the person. With another user handle
 * than the person's present one it is valid for this handle only, since the response does not tell for which one the
 * passkey was created.
 */
export function invitationCeremony(
  { id, org, person, nextUserHandle }: Pick<Invitation, 'id' | 'org' | 'person' | 'nextUserHandle'>,
  browser: string | undefined,
): Binding {
  return {
    ceremony: ceremonies.invitation,
    to: [org, id, ...(nextUserHandle ? [nextUserHandle.toString('base64url')] : [])].join('/'),
    owner: person,
    ...(browser !== undefined && { browser }),
  };
}
