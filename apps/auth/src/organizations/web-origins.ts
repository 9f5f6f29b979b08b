import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { organizationOrigins } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';

/** Below a second, so that an origin that was taken away is refused within one (product §4). */
const ttlMs = 900;

/**
 * Whose pages may read what an organization's issuer answers (CORS): those of its spa apps, by the origins of their
 * redirect URIs.
 */
@Injectable()
export class WebOrigins {
  private readonly logger = new Logger('origins');
  private readonly known = new LRUCache<string, ReadonlySet<string>>({ max: 10_000, ttl: ttlMs });

  constructor(private readonly bus: Bus) {}

  /** Denied while directory is away: a page then reads nothing, and everybody else is served as ever. */
  async allows(shortId: string, origin: string): Promise<boolean> {
    try {
      return (this.known.get(shortId) ?? (await this.load(shortId))).has(origin);
    } catch (error) {
      this.logger.warn(
        `Refused a page of another origin, since the registered origins of ${shortId} cannot be read: ${String(error)}`,
      );
      return false;
    }
  }

  private async load(shortId: string): Promise<ReadonlySet<string>> {
    const { origins } = await this.bus.request(organizationOrigins, { shortId }, systemContext('auth'));
    const registered = new Set(origins);
    this.known.set(shortId, registered);
    return registered;
  }
}
