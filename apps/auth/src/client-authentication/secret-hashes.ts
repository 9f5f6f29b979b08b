import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { renewSecretHash } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import type { Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { peppersOf, type Config } from '../config.js';

/** A renewal is not sent again so soon: the cached client still has the earlier hash. */
const renewedForMs = 60_000;

/**
 * The peppers under which client secrets are hashed. During a rotation of SECRET_PEPPER a secret that was presented
 * goes to directory, which checks it under the earlier pepper and stores its hash under the current one. A hash alone
 * cannot be converted, so a secret that no app uses during the rotation has to be created again.
 */
@Injectable()
export class SecretHashes {
  readonly peppers: Keys;
  private readonly logger = new Logger('client secrets');
  private readonly renewed = new LRUCache<string, true>({ max: 10_000, ttl: renewedForMs });

  constructor(
    private readonly bus: Bus,
    @Inject(CONFIG) config: Pick<Config, 'SECRET_PEPPER' | 'SECRET_PEPPER_PREVIOUS'>,
  ) {
    this.peppers = peppersOf(config);
  }

  /** Does not delay the request in which the secret was presented, and cannot fail it. */
  renew(clientId: string, secretId: string, secret: string): void {
    if (this.renewed.has(secretId)) return;
    this.renewed.set(secretId, true);
    this.bus.request(renewSecretHash, { clientId, secretId, secret }, systemContext('auth')).catch((error: unknown) => {
      this.renewed.delete(secretId);
      this.logger.warn(
        `The hash of the client secret ${secretId} was not renewed under the current SECRET_PEPPER; the next use ` +
          `tries again: ${String(error)}`,
      );
    });
  }
}
