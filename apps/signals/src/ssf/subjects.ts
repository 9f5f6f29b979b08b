import { AppError } from '@holdfast/platform';
import { issuerOf } from './stream.js';

interface Given {
  format: string;
  [member: string]: unknown;
}

/**
 * The id of the customer or person whom a subject identifier names (RFC 9493): `iss_sub` with the organization's
 * issuer, `opaque`, or a complex one by its `user` (SSF 1.0 §3). Whether they exist is not said.
 *
 * @throws invalid_request for a format that this transmitter does not use
 */
export function subjectOf(given: Given, org: string, baseUrl: string): string {
  const issuer = issuerOf(org, baseUrl);
  if (given.format === 'iss_sub' && given.iss === issuer && isId(given.sub)) return given.sub;
  if (given.format === 'opaque' && isId(given.id)) return given.id;
  const { user } = given;
  if (given.format === 'complex' && isSimple(user)) return subjectOf(user, org, baseUrl);
  throw new AppError(
    'invalid_request',
    `The subject must be an iss_sub with the issuer ${issuer}, an opaque id, or complex with such a user.`,
  );
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 100;
}

/** A member of a complex subject is a simple one. */
function isSimple(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && 'format' in value && value.format !== 'complex';
}
