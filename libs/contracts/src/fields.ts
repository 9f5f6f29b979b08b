import { z } from 'zod';

/** RFC 3339, UTC, milliseconds and `Z`: the one form of time that we give out. */
export const instant = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-21T09:30:00.000Z'] });

/** A UUID of any version; letters may come in either case and leave in lower case. */
export const uuid = z
  .guid('must be a UUID')
  .toLowerCase()
  .meta({ examples: ['5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10'] });

export const pageLimit = z.int().min(1).max(200);

/** A client ID, as directory makes them. */
export const clientIdPattern = /^app_[A-Za-z0-9_-]{22}$/;

/** Name of a credential type. */
export const credentialTypeName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,62}$/,
    'must begin with a letter and have only lower-case letters, digits and hyphens, 63 at most',
  );
