import { z } from 'zod';
// Here, since every contract imports this module: a bundle runs none of a package's modules that nobody uses.
import './validation-messages.js';

/** The format of every time in responses and events: RFC 3339, UTC, with milliseconds and `Z`. */
export const instant = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-21T09:30:00.000Z'] });

/** A UUID of any version. Upper-case letters are accepted and converted. */
export const uuid = z
  .guid('must be a UUID')
  .toLowerCase()
  .meta({ examples: ['5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10'] });

export const pageLimit = z.int().min(1).max(200);

/** The name of an organization or app. */
export const name = z.string().trim().min(1).max(100);

/** A client ID in a request. Whether the app exists is for the handler to say. */
export const clientId = z.string().max(64);

/** A client ID as directory generates it, or that of an organization's hub (`hubClientId`). */
export const clientIdPattern = /^(?:app_[A-Za-z0-9_-]{22}|hub_[a-z0-9-]{3,32})$/;

export const credentialTypeName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,62}$/,
    'must begin with a letter and have only lower-case letters, digits and hyphens, 63 at most',
  );

/** A passkey of a customer: a hash of its credential id (passkeyIdOf() of libs/passkeys). */
export const passkeyId = z.uuid();
