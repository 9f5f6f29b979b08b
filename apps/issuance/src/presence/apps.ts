import { Injectable } from '@nestjs/common';
import { clientIdPattern, getApp, webOrigins, type App } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError, ConfigurationCache } from '@holdfast/platform';

/** Apps and the origins of their pages. Unknown ids are not cached, so that random ids cannot flood the cache. */
@Injectable()
export class Apps {
  private readonly cache = new ConfigurationCache<App>();

  constructor(private readonly bus: Bus) {}

  /** Undefined for an app that does not exist, is disabled, or is another organization's. */
  async find(org: string, clientId: string): Promise<App | undefined> {
    if (!clientIdPattern.test(clientId)) return undefined;
    const app = this.cache.get(clientId) ?? (await this.query(clientId));
    return app && app.org === org && !app.disabled ? app : undefined;
  }

  /** @throws unknown_app for every app for which find() returns undefined */
  async require(org: string, clientId: string): Promise<App> {
    const app = await this.find(org, clientId);
    if (!app) throw new AppError('unknown_app', 'This organization has no app with this client_id.');
    return app;
  }

  private async query(clientId: string): Promise<App | undefined> {
    try {
      const app = await this.bus.request(getApp, { clientId }, systemContext('issuance'));
      this.cache.set(clientId, app);
      return app;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_app') return undefined;
      throw error;
    }
  }
}

/** The web origins of an app's pages: those of its redirect URIs, and those registered beside them. */
export function originsOf({ redirectUris, origins }: Pick<App, 'redirectUris' | 'origins'>): string[] {
  return [...new Set([...webOrigins(redirectUris), ...origins])];
}

/** The origin of the request, when it is one of the app's: exact equality, no suffixes, no wildcard. */
export function allowedOrigin(
  app: Pick<App, 'redirectUris' | 'origins'>,
  origin: string | undefined,
): { allowedOrigin?: string } {
  return origin !== undefined && originsOf(app).includes(origin) ? { allowedOrigin: origin } : {};
}
