import { createHmac, hkdfSync } from 'node:crypto';
import { equal, type Keys } from '@holdfast/platform';

const stepMs = 60_000;
/** A nonce is accepted during the minute in which it was given out, and the two after it. */
const acceptedSteps = 3;
export const nonceLifetimeMs = stepMs * acceptedSteps;

/**
 * Nonces for DPoP proofs (RFC 9449 §9): derived from the time and a key that all replicas have, so that none is stored
 * and every replica accepts those of the others.
 */
export class DpopNonces {
  private readonly keys: Buffer[];

  /** Nonces of every key are accepted; the first derives new ones. */
  constructor(secrets: Keys) {
    this.keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'dpop nonces of the API', 32)));
  }

  current(nowMs: number): string {
    return at(this.keys[0]!, Math.floor(nowMs / stepMs)).toString('base64url');
  }

  accepts(nonce: string, nowMs: number): boolean {
    const given = Buffer.from(nonce, 'base64url');
    const step = Math.floor(nowMs / stepMs);
    return this.keys.some((key) =>
      Array.from({ length: acceptedSteps }, (_, i) => at(key, step - i)).some((own) => equal(own, given)),
    );
  }
}

function at(key: Buffer, step: number): Buffer {
  return createHmac('sha256', key).update(String(step)).digest();
}
