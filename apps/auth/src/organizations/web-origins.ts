import { Injectable, Logger } from '@nestjs/common';
import { organizationOrigins } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { ConfigurationCache } from '@holdfast/platform';

/** The origins whose pages may read responses of an organization's issuer (CORS): those of its spa apps. */
@Injectable()
export class WebOrigins {
  private readonly logger = new Logger('origins');
  private readonly cache = new ConfigurationCache<ReadonlySet<string>>();

  constructor(private readonly bus: Bus) {}

  /** False while directory is unavailable, which affects only pages of other origins. */
  async allows(shortId: string, origin: string): Promise<boolean> {
    try {
      return (this.cache.get(shortId) ?? (await this.load(shortId))).has(origin);
    } catch (error) {
      this.logger.warn(
        `Failed to read the registered origins of ${shortId}; ` +
          `pages of other origins are denied until directory is available: ${String(error)}`,
      );
      return false;
    }
  }

  private async load(shortId: string): Promise<ReadonlySet<string>> {
    const { origins } = await this.bus.request(organizationOrigins, { shortId }, systemContext('auth'));
    const registered = new Set(origins);
    this.cache.set(shortId, registered);
    return registered;
  }
}
