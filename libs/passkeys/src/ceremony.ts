import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { AppError } from '@holdfast/platform';

const logger = new Logger('passkeys');

/** EdDSA, ES256 and RS256 (COSE numbers), in order of preference. Every common authenticator supports one of them. */
export const algorithms = [-8, -7, -257];

/** base64url without padding, as browsers send it, of at most `bytes` bytes. */
export const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(Math.ceil((bytes * 4) / 3));

/** WebAuthn Level 3 §4: a credential id has 1023 bytes at most. */
export const credentialId = base64url(1023);

/** The members of clientDataJSON that this library checks itself. */
const clientData = z.looseObject({
  challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  crossOrigin: z.boolean().optional(),
});

/** The error of every ceremony. Only the debug log has the reason, which would help to forge a response. */
export function passkeyInvalid(why: unknown, detail?: string): AppError {
  logger.debug(`rejected a passkey: ${why instanceof Error ? why.message : String(why)}`);
  return new AppError('passkey_invalid', detail);
}

/** Parses the response of an authenticator. @throws AppError passkey_invalid */
export function readResponse<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const result = schema.safeParse(json);
  if (!result.success)
    throw passkeyInvalid(result.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '));
  return result.data;
}

/**
 * The challenge in a response, which is consumed before anything is verified.
 * @throws AppError passkey_invalid, also for a ceremony in an embedded page, since ours are never embedded
 */
export function challengeIn(clientDataJSON: string): string {
  const { challenge, crossOrigin } = readResponse(clientData, parsed(clientDataJSON));
  if (crossOrigin) throw passkeyInvalid('the ceremony ran in an embedded page');
  return challenge;
}

function parsed(clientDataJSON: string): unknown {
  try {
    return JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
  } catch {
    throw passkeyInvalid('clientDataJSON is not JSON');
  }
}

/** Runs a verification of the library. Whatever it throws becomes `passkey_invalid`. */
export async function verified<T extends { verified: boolean }>(
  verification: () => Promise<T>,
): Promise<T & { verified: true }> {
  let result: T;
  try {
    result = await verification();
  } catch (error) {
    throw passkeyInvalid(error);
  }
  if (!result.verified) throw passkeyInvalid('the signature was not made with this key');
  return result as T & { verified: true };
}
