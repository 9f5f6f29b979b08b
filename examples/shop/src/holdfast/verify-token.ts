import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { HoldfastUnavailable } from './errors.ts';

/** The keys could not be loaded, so the token can be neither accepted nor rejected. */
const keyErrors = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']);

/**
 * Verifies the signature and claims of a token that Holdfast sends.
 *
 * @returns undefined when it is not valid
 * @throws HoldfastUnavailable when the issuer's keys cannot be loaded
 */
export async function verifyToken(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError && !keyErrors.has(error.code)) return undefined;
    throw new HoldfastUnavailable(`keys: ${String(error)}`);
  }
}
