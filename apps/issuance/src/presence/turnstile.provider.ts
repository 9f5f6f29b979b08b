import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '@holdfast/data';
import { AppError, Outbound, OutboundError, sha256 } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { Apps } from './apps.js';
import { requireUnconsumed } from './consumed-proofs.js';
import { PresencePolicies } from './presence-policies.js';
import {
  presenceError,
  presenceUnavailable,
  type PresenceContext,
  type PresenceProvider,
  type Proof,
} from './provider.js';
import { readTurnstileResponse, turnstileExpiration, type TurnstileResponse } from './turnstile-response.js';

/** The gateway waits five seconds for the whole offer. */
const timeoutMs = 2500;

/** Cloudflare Turnstile, for organizations that have configured their secret. */
@Injectable()
export class TurnstileProvider implements PresenceProvider<'turnstile'> {
  readonly type = 'turnstile';
  private readonly logger = new Logger('turnstile');

  constructor(
    private readonly outbound: Outbound,
    private readonly policies: PresencePolicies,
    private readonly apps: Apps,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
  ) {}

  async verify({ token }: { token: string }, { org, app: clientId, now }: PresenceContext): Promise<Proof> {
    const secret = await this.policies.turnstileSecret(org);
    if (secret === undefined)
      throw presenceError('presence_invalid', 'This organization takes no proofs of Turnstile; send one of ALTCHA.');
    const hash = sha256(token);
    const id = hash.toString('base64url');
    await requireUnconsumed(this.database, org, this.type, id);
    const app = await this.apps.require(org, clientId);
    const response = await this.siteverify(secret, token, idempotencyKey(org, clientId, secret, token)).catch(
      (error: unknown) => {
        // Without an unknown error's text, which may contain the token or the secret.
        const why = error instanceof AppError || error instanceof OutboundError ? error.message : 'an unknown error';
        this.logger.warn(`The request to Turnstile at ${this.config.TURNSTILE_URL} failed: ${why}`);
        throw presenceUnavailable('Turnstile is unavailable, or its response is not valid.');
      },
    );
    if (!response.success)
      this.logger.debug(`Turnstile rejected a token: ${(response['error-codes'] ?? []).join(' ')}`);
    return { provider: this.type, id, expiresAt: turnstileExpiration(response, app, now) };
  }

  private async siteverify(secret: string, token: string, idempotency_key: string): Promise<TurnstileResponse> {
    const body = JSON.stringify({ secret, response: token, idempotency_key });
    const { body: responseBody } = await this.outbound.request(this.config.TURNSTILE_URL, {
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs,
    });
    return readTurnstileResponse(responseBody);
  }
}

/**
 * The same key for the same token and secret, so that Cloudflare repeats its first response to a retry instead of
 * reporting a duplicate. A UUID, as Cloudflare requires. The offer's transaction ensures that a token allows one offer.
 */
function idempotencyKey(org: string, app: string, secret: string, token: string): string {
  // As JSON, since a secret and a token may contain any character.
  const hex = sha256(JSON.stringify([org, app, secret, token])).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
