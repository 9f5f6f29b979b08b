import { z } from 'zod';
import { shortId, uuid, type AuditTarget, type ErrorCode } from '@holdfast/contracts';

export const tag = 'Admin API: users';
export const userParams = z.strictObject({ shortId, user: uuid.describe('The person') });
export const passkeyParams = userParams.extend({ passkey: uuid.describe('The passkey') });
/** Errors of reading a body. */
export const bodyErrors: ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];

export function userTarget(id: string): AuditTarget {
  return { type: 'person', id, dataSubject: id };
}

/** Targets of the record of a repeated request. */
export const targetsOfRepeat = (id: string): AuditTarget[] => [userTarget(id)];
