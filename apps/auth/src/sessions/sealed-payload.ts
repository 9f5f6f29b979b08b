import type { AdapterPayload } from 'oidc-provider';
import { seal, unseal, type Keys } from '@holdfast/platform';

/** Binds a payload to its row, so that it cannot be moved to another. */
export function payloadContext(org: string, model: string, id: Buffer): string {
  return `oidc_state ${org} ${model} ${id.toString('base64')}`;
}

/** `id` is the hash under which the row is stored. */
export function sealPayload([key]: Keys, org: string, model: string, id: Buffer, payload: AdapterPayload): Buffer {
  return seal(key, JSON.stringify(payload), payloadContext(org, model, id));
}

export function unsealPayload(
  keys: Keys,
  org: string,
  model: string,
  { id, payload }: { id: Buffer; payload: Buffer },
): AdapterPayload {
  return JSON.parse(unseal(keys, payload, payloadContext(org, model, id)).toString()) as AdapterPayload;
}
