import type { AuditRecord, RelyingPartyIds } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

/** For which RP IDs an organization accepts passkeys, as stored. Null stands for the RP ID of the deployment. */
export interface RpIds {
  rpId: string | null;
  /** True while passkeys of the earlier RP ID sign in as well. */
  moving: boolean;
  earlierRpId: string | null;
}

/**
 * The RP IDs after a change. Only one move at a time: a sign-in page requests passkeys of one RP ID and offers the
 * earlier one as a second option. Changing back to the earlier RP ID is the same move in the other direction.
 * @throws AppError invalid_state
 */
export function changedRpId(before: RpIds, rpId: string | null, keepEarlier: boolean): RpIds {
  if (rpId === before.rpId)
    throw new AppError('invalid_state', 'The organization has this RP ID already. Nothing was changed.');
  if (before.moving && rpId !== before.earlierRpId) {
    throw new AppError(
      'invalid_state',
      'The customers are still moving from an earlier RP ID. ' +
        'End that move before you begin another one (--end-move), or go back to the earlier RP ID.',
    );
  }
  return { rpId, moving: keepEarlier, earlierRpId: keepEarlier ? before.rpId : null };
}

/** The RP IDs after a move: passkeys of the earlier RP ID no longer sign in. @throws AppError invalid_state */
export function endedMove(before: RpIds): RpIds {
  if (!before.moving)
    throw new AppError('invalid_state', 'There is no move from an earlier RP ID to end. Nothing was changed.');
  return { rpId: before.rpId, moving: false, earlierRpId: null };
}

/** Sets them, for the audit record. */
export function changeRpIds(organization: RpIds, after: RpIds) {
  const from = relyingPartyIn(organization).relyingParty ?? {};
  Object.assign(organization, after);
  const to = relyingPartyIn(organization).relyingParty ?? {};
  const changes: AuditRecord['changes'] = { relyingParty: { from, to } };
  return { action: 'organization.update' as const, changes };
}

/** The RP IDs as the contracts return them. Empty when the organization uses the RP ID of the deployment only. */
export function relyingPartyIn({ rpId, moving, earlierRpId }: RpIds): { relyingParty?: RelyingPartyIds } {
  if (rpId === null && !moving) return {};
  return { relyingParty: { ...idIn(rpId), ...(moving && { earlier: idIn(earlierRpId) }) } };
}

function idIn(rpId: string | null): { rpId?: string } {
  return rpId === null ? {} : { rpId };
}
