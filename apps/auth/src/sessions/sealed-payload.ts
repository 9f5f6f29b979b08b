import type { AdapterPayload } from 'oidc-provider';
import { seal, unseal } from '@holdfast/platform';

/** Binds a payload to its row, so that it cannot be moved to another. */
function contextOf(org: string, model: string, id: Buffer): string {
  return `oidc_state ${org} ${model} ${id.toString('base64')}`;
}

/** `id` is the hash under which the row is stored. */
export function sealPayload(key: Buffer, org: string, model: string, id: Buffer, payload: AdapterPayload): Buffer {
  return seal(key, JSON.stringify(payload), contextOf(org, model, id));
}

export function unsealPayload(
  key: Buffer,
  org: string,
  model: string,
  { id, payload }: { id: Buffer; payload: Buffer },
): AdapterPayload {
  return JSON.parse(unseal(key, payload, contextOf(org, model, id)).toString()) as AdapterPayload;
}
