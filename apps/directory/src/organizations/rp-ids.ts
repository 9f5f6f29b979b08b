import type { RelyingPartyIds } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

/** For which RP IDs an organization takes passkeys, as it is stored; null is the deployment's own. */
export interface RpIds {
  rp_id: string | null;
  /** Passkeys of the earlier RP ID sign in as well. */
  moving: boolean;
  earlier_rp_id: string | null;
}

/**
 * After a change of the RP ID. One move at a time: a sign-in page asks for passkeys of one RP ID, and offers the
 * earlier one as a second way. Back to the earlier one is the same move the other way round.
 * @throws AppError invalid_state
 */
export function changedRpId(before: RpIds, rpId: string | null, keepEarlier: boolean): RpIds {
  if (rpId === before.rp_id)
    throw new AppError('invalid_state', 'The organization has this RP ID already. Nothing was changed.');
  if (before.moving && rpId !== before.earlier_rp_id) {
    throw new AppError(
      'invalid_state',
      'The customers are still moving from an earlier RP ID. End that move before you begin another one (--end-move), or go back to the earlier RP ID.',
    );
  }
  return { rp_id: rpId, moving: keepEarlier, earlier_rp_id: keepEarlier ? before.rp_id : null };
}

/** Passkeys of the earlier RP ID sign in no longer. @throws AppError invalid_state */
export function endedMove(before: RpIds): RpIds {
  if (!before.moving)
    throw new AppError('invalid_state', 'No move from an earlier RP ID is under way. Nothing was changed.');
  return { rp_id: before.rp_id, moving: false, earlier_rp_id: null };
}

/** As others are told; nothing where the deployment's own RP ID is all there is. */
export function relyingPartyIn({ rp_id, moving, earlier_rp_id }: RpIds): { relyingParty?: RelyingPartyIds } {
  if (rp_id === null && !moving) return {};
  return { relyingParty: { ...idIn(rp_id), ...(moving && { earlier: idIn(earlier_rp_id) }) } };
}

function idIn(rpId: string | null): { rpId?: string } {
  return rpId === null ? {} : { rpId };
}
