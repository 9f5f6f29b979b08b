import type { AuditFilter } from '@holdfast/contracts';
import { storableId } from '../append/storable.js';
import type { PseudonymMappings } from '../privacy/pseudonyms.js';

/** Replaces customer ids by their pseudonyms. Ids of apps, and pseudonyms themselves, stay as they are. */
export async function pseudonymized(
  mappings: PseudonymMappings,
  org: string,
  filter: AuditFilter,
): Promise<AuditFilter> {
  const [actor, target] = [filter.actor, filter.target].map((id) => (id === undefined ? id : storableId(id)));
  const found = await mappings.find(
    org,
    [actor, target].filter((id) => id !== undefined),
  );
  return {
    ...filter,
    ...(actor !== undefined && { actor: found.get(actor) ?? actor }),
    ...(target !== undefined && { target: found.get(target) ?? target }),
  };
}
