import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { proofAlgorithms, type PublicJwk } from '@holdfast/contracts';

export interface CheckedJwk {
  key: PublicJwk;
  /** Names the key in tokens and records: `key_` and its thumbprint (RFC 7638). */
  id: string;
}

/** Of a private key of any type, and of a symmetric one (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
const minRsaBits = 2048;
const maxRsaBits = 4096;
const maxNameLength = 200;

interface KeyKind {
  kty: PublicJwk['kty'];
  crv?: string;
  members: readonly ('crv' | 'x' | 'y' | 'n' | 'e')[];
  algorithms: readonly (typeof proofAlgorithms)[number][];
}
const kinds: readonly KeyKind[] = [
  { kty: 'OKP', crv: 'Ed25519', members: ['crv', 'x'], algorithms: ['EdDSA', 'Ed25519'] },
  { kty: 'EC', crv: 'P-256', members: ['crv', 'x', 'y'], algorithms: ['ES256'] },
  { kty: 'RSA', members: ['n', 'e'], algorithms: ['PS256', 'RS256'] },
];

/**
 * A public key for verifying signatures, reduced to the members that matter, or what is wrong with it. The text names
 * members and never their values, which may be secret.
 */
export function checkPublicJwk(given: Readonly<Record<string, unknown>>): CheckedJwk | { issue: string } {
  const secret = privateMembers.find((member) => Object.hasOwn(given, member));
  if (secret !== undefined || given.kty === 'oct')
    return { issue: `has ${secret ? `the member "${secret}" of ` : ''}a secret key; register the public key alone` };
  const kind = kinds.find(({ kty, crv }) => kty === given.kty && (crv === undefined || crv === given.crv));
  if (!kind) return { issue: 'must be an Ed25519, P-256 or RSA key' };
  const { kid, alg, use, key_ops: operations } = given;
  if (use !== undefined && use !== 'sig') return { issue: 'has a use other than "sig"' };
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return { issue: 'has key_ops without "verify"' };
  if (alg !== undefined && !kind.algorithms.some((known) => known === alg))
    return { issue: `has an alg other than ${kind.algorithms.join(' or ')}` };
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > maxNameLength))
    return { issue: `must have a kid of 1 to ${maxNameLength} characters, or none` };
  const required = Object.fromEntries(kind.members.map((member) => [member, given[member]]));
  const object = publicKeyOf({ kty: kind.kty, ...required });
  if (!object) return { issue: `is not a valid ${kind.crv ?? 'RSA'} key` };
  if (kind.kty === 'RSA') {
    const { modulusLength = 0, publicExponent = 0n } = object.asymmetricKeyDetails ?? {};
    if (modulusLength < minRsaBits || modulusLength > maxRsaBits || publicExponent < 65_537n)
      return { issue: `must have ${minRsaBits} to ${maxRsaBits} bits and an exponent of at least 65537` };
  }
  // Exported again, so that each key has one spelling.
  const own = object.export({ format: 'jwk' }) as PublicJwk;
  return {
    key: { ...own, ...(kid !== undefined && { kid }), ...(alg !== undefined && { alg: alg as string }) },
    id: `key_${thumbprint(own, kind.members)}`,
  };
}

function publicKeyOf(key: Record<string, unknown>): KeyObject | undefined {
  if (Object.values(key).some((value) => typeof value !== 'string' || !/^[A-Za-z0-9_-]{1,1400}$/.test(value)))
    return undefined;
  try {
    return createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** RFC 7638: the required members in alphabetical order. */
function thumbprint(key: PublicJwk, members: KeyKind['members']): string {
  const names = ([...members, 'kty'] as const).toSorted();
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(names.map((name) => [name, key[name]]))))
    .digest('base64url');
}
