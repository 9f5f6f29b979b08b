import { Injectable } from '@nestjs/common';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { platformKeys } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Interval, Readiness } from '@holdfast/service';

const refreshIntervalMs = 5 * 60_000;
/**
 * A token with an unknown key id may come from a key of a moment ago; made-up ids must not become a stream of calls.
 */
const minRefreshIntervalMs = 5_000;

/** Public keys of the platform's access tokens, fetched before ready and kept. */
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

  /** The key with this id; asks auth again, now and then, when it is not known. */
  async find(kid: string | undefined): Promise<CryptoKey | Uint8Array> {
    if (kid === undefined) throw new AppError('invalid_token');
    if (!this.keys.has(kid) && performance.now() - this.lastRefresh > minRefreshIntervalMs) await this.refresh();
    const key = this.keys.get(kid);
    if (!key) throw new AppError('invalid_token');
    return key;
  }

  private async load(): Promise<void> {
    const { keys } = await this.bus.request(platformKeys, {}, systemContext('gateway'));
    // Only the keys' own algorithm will do: importJWK fixes it.
    const imported = await Promise.all(
      keys.map(async (jwk) => [(jwk as JWK).kid ?? '', await importJWK(jwk as JWK, 'EdDSA')] as const),
    );
    this.keys = new Map(imported);
    this.lastRefresh = performance.now();
  }
}
