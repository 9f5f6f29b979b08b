import { Injectable } from '@nestjs/common';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { platformKeys } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Interval, Readiness } from '@holdfast/service';

const refreshIntervalMs = 5 * 60_000;
/** An unknown key id may be that of a new key, so it causes a refresh. Random ids must not cause one each. */
const minRefreshIntervalMs = 5_000;

/** The platform's public keys for access tokens. The gateway is not ready before it has loaded them. */
@Injectable()
export class PlatformKeys {
  private keys = new Map<string, CryptoKey | Uint8Array>();
  private lastRefresh = -Infinity;
  private refreshing?: Promise<void>;

  constructor(
    private readonly bus: Bus,
    readiness: Readiness,
  ) {
    readiness.addCheck(() => this.keys.size > 0);
  }

  @Interval({
    name: 'platform_keys',
    intervalMs: refreshIntervalMs,
    runAtStart: true,
    retryAfterMs: 500,
    failure: "Failed to load auth's public keys. Cached keys stay in use",
  })
  refresh(): Promise<void> {
    return (this.refreshing ??= this.load().finally(() => (this.refreshing = undefined)));
  }

  /** The key with this id; loads the keys again when it is unknown. @throws invalid_token when there is no such key */
  async find(kid: string | undefined): Promise<CryptoKey | Uint8Array> {
    if (kid === undefined) throw new AppError('invalid_token');
    if (!this.keys.has(kid) && performance.now() - this.lastRefresh > minRefreshIntervalMs) await this.refresh();
    const key = this.keys.get(kid);
    if (!key) throw new AppError('invalid_token');
    return key;
  }

  private async load(): Promise<void> {
    const { keys } = await this.bus.request(platformKeys, {}, systemContext('gateway'));
    // importJWK binds each key to its algorithm, so a token cannot choose another one.
    const imported = await Promise.all(
      keys.map(async (jwk) => [(jwk as JWK).kid ?? '', await importJWK(jwk as JWK, 'EdDSA')] as const),
    );
    this.keys = new Map(imported);
    this.lastRefresh = performance.now();
  }
}
