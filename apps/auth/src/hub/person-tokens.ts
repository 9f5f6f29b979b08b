import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
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
import type { SigningKey } from '../keys/key-pair.js';
import { platform, SigningKeys } from '../keys/signing-keys.js';
import type { HubSession } from './hub-sessions.js';

/** Tokens of people for the API, signed with the platform's key. */
@Injectable()
export class PersonTokens implements OnModuleInit {
  private jwk!: SigningKey;
  private key!: Awaited<ReturnType<typeof importJWK>>;

  constructor(
    private readonly keys: SigningKeys,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async onModuleInit(): Promise<void> {
    this.jwk = (await this.keys.load(platform)).keys[0]!;
    this.key = await importJWK(this.jwk, this.jwk.alg);
  }

  /** `version` is that of the person now, with which directory has replied their roles. */
  issue(
    org: string,
    { person, authTime, acr, amr }: HubSession,
    { roles, version }: { roles: readonly Role[]; version: number },
  ): Promise<string> {
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
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: this.jwk.alg, kid: this.jwk.kid, typ: 'at+jwt' })
      .sign(this.key);
  }
}
