import type { AccessTokenClaims } from '@holdfast/contracts';

const decode = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));

/** The claims of a token, unverified. */
export function claimsOf(token: string): AccessTokenClaims {
  return decode(token.split('.')[1]) as AccessTokenClaims;
}

export function headerOf(token: string): Record<string, unknown> {
  return decode(token.split('.')[0]) as Record<string, unknown>;
}

export function encodePart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
