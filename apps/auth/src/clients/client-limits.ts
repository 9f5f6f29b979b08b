import { Inject, Injectable } from '@nestjs/common';
import { errors } from 'oidc-provider';
import { Counter } from 'prom-client';
import { SharedRateLimits } from '@holdfast/access';
import type { RateLimiter } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import type { ClientRecord } from './client-record.js';

const limited = new Counter({
  name: 'holdfast_client_limited_total',
  help: 'Requests of clients answered 429, by limit',
  labelNames: ['limit'],
});

/** 429 in OAuth's form. */
export class TooManyRequests extends errors.OIDCProviderError {
  constructor(readonly headers: Record<string, string>) {
    super(429, 'temporarily_unavailable');
    this.error_description = 'too many requests; wait for Retry-After';
    this.expose = true;
  }
}

/**
 * Limits how often a client may authenticate and how often an authentication may fail. The two are counted separately,
 * and the secret is compared before either limit is checked: otherwise anybody could lock a client out by sending wrong
 * secrets in its name.
 */
@Injectable()
export class ClientLimits {
  private readonly authenticated: RateLimiter;
  private readonly failures: RateLimiter;

  constructor(
    @Inject(CONFIG)
    {
      CLIENT_RATE_PER_MINUTE,
      WRONG_SECRETS_PER_MINUTE,
    }: Pick<Config, 'CLIENT_RATE_PER_MINUTE' | 'WRONG_SECRETS_PER_MINUTE'>,
    @Inject(SharedRateLimits) shared: SharedRateLimits,
  ) {
    this.authenticated = shared.limiter('client', CLIENT_RATE_PER_MINUTE);
    this.failures = shared.limiter('wrong_secret', WRONG_SECRETS_PER_MINUTE);
  }

  /** Counts a request of a client whose secret was right. @throws TooManyRequests */
  admit({ app, rateLimits }: Pick<ClientRecord, 'app' | 'rateLimits'>): void {
    this.take(this.authenticated, app.clientId, rateLimits.client);
  }

  /** Counts a wrong secret, by network and by the client that the request names. @throws TooManyRequests, not 401 */
  countWrongSecret(network: string, clientId: string | undefined): void {
    this.take(this.failures, `from ${network}`);
    if (clientId !== undefined) this.take(this.failures, `of ${clientId}`);
  }

  private take(limiter: RateLimiter, key: string, perMinute?: number): void {
    const result = limiter.take(key, perMinute);
    if (result.allowed) return;
    limited.inc({ limit: limiter.name });
    throw new TooManyRequests(limiter.headersOf(result));
  }
}
