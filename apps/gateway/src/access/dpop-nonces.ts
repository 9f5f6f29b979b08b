import { createHmac, hkdfSync } from 'node:crypto';
import { equal } from '@holdfast/platform';

const stepMs = 60_000;
/** A nonce is accepted during the minute in which it was given out, and the two after it. */
const acceptedSteps = 3;
export const nonceLifetimeMs = stepMs * acceptedSteps;

/**
 * Nonces for DPoP proofs (RFC 9449 §9): derived from the time and a key that all replicas have, so that none is stored
 * and every replica accepts those of the others.
 */
export class DpopNonces {
  private readonly key: Buffer;

  constructor(secret: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'dpop nonces of the API', 32));
  }

  current(nowMs: number): string {
    return this.at(Math.floor(nowMs / stepMs)).toString('base64url');
  }

  accepts(nonce: string, nowMs: number): boolean {
    const given = Buffer.from(nonce, 'base64url');
    const step = Math.floor(nowMs / stepMs);
    return Array.from({ length: acceptedSteps }, (_, i) => this.at(step - i)).some((own) => equal(own, given));
  }

  private at(step: number): Buffer {
    return createHmac('sha256', this.key).update(String(step)).digest();
  }
}
