import { z } from 'zod';

/** SHA-256 of the secret of a session. The browser has the secret; services see only this. */
export const sessionHash = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 hash in base64url');
