import { Inject, Injectable } from '@nestjs/common';
import {
  apiAudience,
  currentApiVersion,
  hubClientId,
  operationsOf,
  personTokenLifetimeSeconds,
  type PersonTokenClaims,
  type Role,
} from '@holdfast/contracts';
import { newOpaqueId } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { signAccessToken } from '../keys/jwt-signer.js';
import { PlatformSigningKeys } from '../keys/platform-signing-keys.js';
import type { HubSession } from './hub-sessions.js';

/** Tokens of people for the API, signed with the platform's key. */
@Injectable()
export class PersonTokens {
  constructor(
    private readonly keys: PlatformSigningKeys,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** `version` is that of the person now, with which directory has replied their roles. */
  issue(
    org: string,
    { person, authTime, acr, amr }: HubSession,
    { roles, version }: { roles: readonly Role[]; version: number },
  ): string {
    const { BASE_URL: baseUrl } = this.config;
    const issuedAt = Math.floor(Date.now() / 1000);
    const claims: PersonTokenClaims = {
      iss: baseUrl,
      aud: apiAudience(baseUrl),
      sub: person,
      client_id: hubClientId(org),
      scope: operationsOf(roles).join(' '),
      jti: newOpaqueId(),
      iat: issuedAt,
      exp: issuedAt + personTokenLifetimeSeconds,
      org,
      person_version: version,
      auth_time: authTime,
      ...(acr !== undefined && { acr }),
      ...(amr !== undefined && { amr }),
      api_version: currentApiVersion,
    };
    return signAccessToken(this.keys.current.keys[0]!, claims);
  }
}
