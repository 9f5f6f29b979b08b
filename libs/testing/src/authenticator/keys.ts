import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { encodeCbor, type Cbor } from './cbor.js';

export const keyAlgorithms = ['ES256', 'EdDSA', 'RS256'] as const;
export type KeyAlgorithm = (typeof keyAlgorithms)[number];

/** COSE numbers (RFC 9053) as in `pubKeyCredParams`. */
export const coseNumbers: Record<KeyAlgorithm, number> = { ES256: -7, EdDSA: -8, RS256: -257 };

/** The private key of a passkey. */
export interface PasskeyKey {
  /** COSE_Key (RFC 9052 §7). */
  cose: Buffer;
  sign(data: Buffer): Buffer;
}

export function newKey(algorithm: KeyAlgorithm): PasskeyKey {
  const { publicKey, privateKey } = pair(algorithm);
  const jwk = publicKey.export({ format: 'jwk' });
  const bytes = (member: string | undefined): Buffer => Buffer.from(member ?? '', 'base64url');
  const members: Record<KeyAlgorithm, [number, Cbor][]> = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ],
  };
  return {
    cose: encodeCbor(new Map(members[algorithm])),
    sign: (data) => sign(algorithm === 'EdDSA' ? null : 'sha256', data, privateKey),
  };
}

function pair(algorithm: KeyAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}
