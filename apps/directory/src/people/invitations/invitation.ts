import type { z } from 'zod';
import type { invitationLinkSchema } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { ceremonies, type Binding } from '@holdfast/passkeys';
import { AppError } from '@holdfast/platform';

/** An invitation as found by the token of its link. */
export interface Invitation {
  id: string;
  org: string;
  person: string;
  userHandle: Buffer;
  status: 'open' | 'accepted' | 'withdrawn' | 'superseded';
  recovery: boolean;
  expiresAt: Date;
}

export type InvitationState = z.infer<typeof invitationLinkSchema>['state'];

/** Derived from the time: no job has to expire a link. */
export function stateOf({ status, expiresAt }: Pick<Invitation, 'status' | 'expiresAt'>, now: Date): InvitationState {
  if (status === 'superseded') return 'withdrawn';
  return status === 'open' && expiresAt <= now ? 'expired' : status;
}

/** @throws invitation_accepted, invitation_expired, invitation_withdrawn */
export function requireOpen(state: InvitationState): void {
  if (state !== 'open') throw new AppError(`invitation_${state}`);
}

const byToken = statement(
  'invitation_find',
  `SELECT i.id, i.org, i.person_id AS person, p.user_handle AS "userHandle", i.status,
     i.replaces_passkeys AS recovery, i.expires_at AS "expiresAt"
   FROM invitation i JOIN person p ON p.id = i.person_id WHERE i.token_hash = ANY ($1) AND i.org = $2`,
);

/** @throws unknown_invitation, also for a link of another organization or of a removed person */
export async function findInvitation(sql: Sql, tokenHashes: readonly Buffer[], org: string): Promise<Invitation> {
  const [row] = await sql.rows<Invitation>(byToken, [tokenHashes, org]);
  if (!row) throw new AppError('unknown_invitation');
  return row;
}

/** A challenge is valid for its invitation and browser only, and is deleted with the person. */
export function invitationCeremony({ id, org, person }: Invitation, browser: string | undefined): Binding {
  return {
    ceremony: ceremonies.invitation,
    to: `${org}/${id}`,
    owner: person,
    ...(browser !== undefined && { browser }),
  };
}
