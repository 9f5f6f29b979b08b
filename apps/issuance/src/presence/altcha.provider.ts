import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { createChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { challengeSchema, type PresenceChallenge } from '@holdfast/contracts';
import { equal } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { readPayload, signedText } from './altcha-payload.js';
import { presenceKeys, type PresenceKeys } from './presence-keys.js';
import { presenceError, type PresenceContext, type PresenceProvider, type Proof } from './provider.js';

/**
 * The built-in proof of work (ALTCHA 2): no third party, and nothing is stored until a proof is consumed. It makes
 * automation expensive; it does not distinguish people from programs.
 */
@Injectable()
export class AltchaProvider implements PresenceProvider<'altcha'> {
  readonly type = 'altcha';

  constructor(@Inject(CONFIG) private readonly config: IssuanceConfig) {}

  /** The challenge is for this app's sign-up form, and its solution is valid for offers of this app only. */
  async challenge({ org, app, now }: PresenceContext): Promise<PresenceChallenge> {
    const [keys] = presenceKeys(this.config, org);
    const id = randomBytes(16).toString('base64url');
    const { PRESENCE_STEPS: steps } = this.config;
    const counter = randomInt(Math.ceil(steps / 2), Math.ceil(steps * 1.5) + 1);
    const challenge = await createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: this.config.PRESENCE_COST,
      deriveKey,
      counter,
      data: { org, purpose: 'offer', client_id: app, id, answer: answerOf(keys, id, counter) },
      expiresAt: new Date(now.getTime() + this.config.PRESENCE_SECONDS * 1000),
      hmacSignatureSecret: keys.signature,
      hmacKeySignatureSecret: keys.key,
    });
    return challengeSchema.parse(challenge);
  }

  /**
   * Verifies two HMACs instead of calling altcha-lib's verifySolution(). That compares with the machine's clock, and
   * before it verifies the signature, so it would report a forged challenge as an expired one.
   */
  async verify({ payload }: { payload: string }, { org, app, now }: PresenceContext): Promise<Proof> {
    const read = readPayload(payload);
    if (!read)
      throw presenceError('presence_invalid', 'The payload is not what the ALTCHA widget puts into its form field.');
    const {
      challenge: { parameters, signature },
      solution,
    } = read;
    const { data, expiresAt } = parameters;
    const keys = presenceKeys(this.config, org).find((k) =>
      equal(hmac(k.signature, signedText(parameters)), Buffer.from(signature, 'hex')),
    );
    if (!keys || data.org !== org)
      throw presenceError('presence_invalid', 'The challenge was not made for this organization, or was changed.');
    if (data.client_id !== app)
      throw presenceError(
        'presence_invalid',
        "The challenge was made for another app: request it with the calling app's client_id.",
      );
    const isKeyFound = equal(
      hmac(keys.key, Buffer.from(solution.derivedKey, 'hex')),
      Buffer.from(parameters.keySignature, 'hex'),
    );
    if (!isKeyFound || data.answer !== answerOf(keys, data.id, solution.counter))
      throw presenceError('presence_invalid', 'The solution does not solve the challenge.');
    const expiration = new Date(expiresAt * 1000);
    if (expiration <= now)
      throw presenceError(
        'presence_expired',
        `The challenge could be used until ${expiration.toISOString()}; let the visitor solve a new one.`,
      );
    return { provider: 'altcha', id: data.id, expiresAt: expiration };
  }
}

/**
 * Binds a challenge to the counter that solves it, so that a changed counter is detected without a stored challenge.
 */
function answerOf(keys: PresenceKeys, id: string, counter: number): string {
  return hmac(keys.key, `counter/${id}/${counter}`).toString('hex');
}

function hmac(secret: string, data: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(data).digest();
}
