import { z } from 'zod';

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/**
 * A WebAuthn relying party identifier: a host name in the form that browsers compare, and no IP address (WebAuthn Level
 * 3 §5.1.2).
 */
export const rpId = z
  .string()
  .max(253)
  .regex(
    new RegExp(`^(?:${label}\\.)*${label}$`),
    'must be a host name such as example.com, in lower case and without scheme, port and path ' +
      '(letters beyond a to z as xn--…)',
  )
  .refine(
    (name) => !/^[0-9]+$|^0x/.test(name.slice(name.lastIndexOf('.') + 1)),
    'must be a host name: an IP address cannot have passkeys',
  );

/**
 * The RP IDs of an organization's passkeys. New passkeys are created for `rpId`. During a move, passkeys of the earlier
 * RP ID sign in as well. An absent RP ID is that of the deployment.
 */
export const relyingPartySchema = z.strictObject({
  rpId: rpId.optional(),
  earlier: z.strictObject({ rpId: rpId.optional() }).optional(),
});
export type RelyingPartyIds = z.infer<typeof relyingPartySchema>;

/** Whether pages of this host may use the RP ID: it is the host itself, or a domain that contains the host. */
export function coversHost(rpId: string, hostname: string): boolean {
  return hostname === rpId || hostname.endsWith(`.${rpId}`);
}

/** Loose, since other sites may add members. */
export const relatedOriginsSchema = z.looseObject({
  origins: z.array(z.string()).describe('Origins of the pages that may use this domain as RP ID'),
});
