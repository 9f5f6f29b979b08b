import { roleNames, type Maker, type Role, type User } from '@holdfast/contracts';
import type { SealedPerson } from './personal-data/personal-data.js';

export type PersonStatus = User['status'];

/** A person as a rule sees them. Rules change the fields that are not read-only; `People` saves them. */
export interface Person {
  readonly id: string;
  readonly org: string;
  status: PersonStatus;
  roles: Role[];
  email: string;
  name: string;
  readonly version: number;
  readonly userHandle: Buffer;
  readonly createdAt: Date;
  readonly lastSignInAt?: Date;
  invitation?: OpenInvitation;
}

/** The open link of a person. It may have expired. */
export interface OpenInvitation {
  expiresAt: Date;
  recovery: boolean;
  /** Null of a link from before the issuer was stored, which cannot be accepted. */
  issuerType: Maker['type'] | null;
  issuer: string | null;
}

export interface PersonRow extends SealedPerson {
  status: PersonStatus;
  roles: Role[];
  version: number;
  userHandle: Buffer;
  createdAt: Date;
  lastSignInAt: Date | null;
  invitationExpiresAt: Date | null;
  invitationRecovery: boolean | null;
  issuerType: Maker['type'] | null;
  issuer: string | null;
}

/** Columns of a `PersonRow`, of person `p` and its open invitation `i`. */
export const personColumns = `p.id, p.org, p.status, p.roles, p.version, p.user_handle AS "userHandle",
  p.personal_data AS "personalData", p.personal_data_key AS "personalDataKey", p.created_at AS "createdAt",
  p.last_sign_in_at AS "lastSignInAt", i.expires_at AS "invitationExpiresAt",
  i.replaces_passkeys AS "invitationRecovery", i.issued_by_type AS "issuerType", i.issued_by AS issuer`;

export const withInvitation = `LEFT JOIN invitation i ON i.org = p.org AND i.person_id = p.id AND i.status = 'open'`;

export function personOf(row: PersonRow, { email, name }: { email: string; name: string }): Person {
  const { id, org, status, roles, version, userHandle, createdAt, lastSignInAt, issuerType, issuer } = row;
  return {
    id,
    org,
    status,
    roles: sorted(roles),
    email,
    name,
    version,
    userHandle,
    createdAt,
    ...(lastSignInAt && { lastSignInAt }),
    ...(row.invitationExpiresAt && {
      invitation: {
        expiresAt: row.invitationExpiresAt,
        recovery: row.invitationRecovery ?? false,
        issuerType,
        issuer,
      },
    }),
  };
}

export function toUser({ id, email, name, status, roles, createdAt, lastSignInAt, invitation }: Person): User {
  return {
    id,
    email,
    name,
    status,
    roles,
    createdAt: createdAt.toISOString(),
    ...(lastSignInAt && { lastSignInAt: lastSignInAt.toISOString() }),
    ...(invitation && { invitation: toInvitation(invitation) }),
  };
}

function toInvitation({ expiresAt, recovery, issuerType, issuer }: OpenInvitation): User['invitation'] {
  const issuedBy = issuerType && { type: issuerType, ...(issuer !== null && { id: issuer }) };
  return { expiresAt: expiresAt.toISOString(), recovery, ...(issuedBy && { issuedBy }) };
}

/** Roles in the order of the table of roles. */
export function sorted(roles: readonly Role[]): Role[] {
  return roleNames.filter((role) => roles.includes(role));
}
