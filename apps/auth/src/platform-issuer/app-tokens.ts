import { Inject, Injectable } from '@nestjs/common';
import { accessTokenLifetimeSeconds, apiAudience } from '@holdfast/contracts';
import { randomForIds } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { ClientRecord } from '../clients/client-record.js';
import type { Config } from '../config.js';
import { signAccessToken } from '../keys/jwt-signer.js';
import { PlatformSigningKeys } from '../keys/platform-signing-keys.js';
import { appClaims } from './app-claims.js';

/** Access tokens of apps, the same as those that oidc-provider issues (platform-provider.ts). */
@Injectable()
export class AppTokens {
  constructor(
    private readonly keys: PlatformSigningKeys,
    @Inject(CONFIG) private readonly config: Pick<Config, 'BASE_URL'>,
  ) {}

  issue(client: ClientRecord, secretId: string, scope: string): string {
    const { BASE_URL: baseUrl } = this.config;
    const { clientId } = client.app;
    const issuedAt = Math.floor(Date.now() / 1000);
    return signAccessToken(this.keys.current.keys[0]!, {
      ...appClaims(client, secretId),
      jti: randomForIds(32).toString('base64url'),
      sub: clientId,
      iat: issuedAt,
      exp: issuedAt + accessTokenLifetimeSeconds,
      scope,
      client_id: clientId,
      iss: baseUrl,
      aud: apiAudience(baseUrl),
    });
  }
}
