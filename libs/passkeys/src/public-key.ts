import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers';
import { passkeyInvalid } from './ceremony.js';

/** Size of a COSE key. RSA with 4096 bits takes 530 bytes. */
const maxBytes = 1024;
/**
 * Shorter RSA keys can be broken; longer ones make every verification expensive.
 */
const rsaBits = { min: 2048, max: 4096 };
const maxExponent = 0xffff_ffffn;

/** Labels of a COSE key (RFC 9052 §7.1, RFC 9053 §7). RSA has `n` and `e` in place of curve and `x` (RFC 8230 §4). */
const label = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, n: -1, e: -2 } as const;

/**
 * Rejects a public key with which nobody could sign in, or anybody could. A registration without attestation is not
 * signed, so nothing else uses the key before it is stored. Key type and curve must be those of the algorithm (WebAuthn
 * Level 3 §5.8.5). Importing the key detects a point that is not on the curve.
 * @throws AppError passkey_invalid
 */
export function requireUsableKey(cose: Uint8Array): void {
  if (cose.length > maxBytes) throw passkeyInvalid(`a public key of ${cose.length} bytes`);
  let key: KeyObject;
  try {
    key = createPublicKey({
      key: jwkOf(decodeCredentialPublicKey(new Uint8Array(cose)) as unknown as ReadonlyMap<number, unknown>),
      format: 'jwk',
    });
  } catch (error) {
    throw passkeyInvalid(error);
  }
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined && (modulusLength < rsaBits.min || modulusLength > rsaBits.max))
    throw passkeyInvalid(`an RSA key of ${modulusLength} bits`);
  if (
    publicExponent !== undefined &&
    (publicExponent < 3n || publicExponent > maxExponent || publicExponent % 2n === 0n)
  )
    throw passkeyInvalid('an RSA key with an unusable exponent');
}

function jwkOf(key: ReadonlyMap<number, unknown>): JsonWebKey {
  const kind = [label.alg, label.kty].map((member) => String(key.get(member))).join('/');
  const bytes = (member: number, length?: number): string => {
    const value = key.get(member);
    if (!(value instanceof Uint8Array) || (length !== undefined && value.length !== length))
      throw new Error(`member ${member} of the public key is invalid`);
    return Buffer.from(value).toString('base64url');
  };
  const curve = key.get(label.crv);
  if (kind === '-7/2' && curve === 1) return { kty: 'EC', crv: 'P-256', x: bytes(label.x, 32), y: bytes(label.y, 32) };
  if (kind === '-8/1' && curve === 6) return { kty: 'OKP', crv: 'Ed25519', x: bytes(label.x, 32) };
  if (kind === '-257/3') return { kty: 'RSA', n: bytes(label.n), e: bytes(label.e) };
  throw new Error(`a public key of algorithm and type ${kind}`);
}
