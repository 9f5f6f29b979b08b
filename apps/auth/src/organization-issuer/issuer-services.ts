import { Inject, Injectable } from '@nestjs/common';
import type { Provider } from 'oidc-provider';
import type { Logger } from '@holdfast/platform';
import { CONFIG, LOGGER } from '@holdfast/service';
import { ClientKeys } from '../client-authentication/client-keys.js';
import { SecretHashes } from '../client-authentication/secret-hashes.js';
import { ClientLimits } from '../clients/client-limits.js';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import type { SigningKey } from '../keys/key-pair.js';
import type { OrganizationProfile } from '../organizations/organizations.js';
import { WebOrigins } from '../organizations/web-origins.js';
import { SessionRevocations } from '../sessions/session-revocations.js';
import { StateStore } from '../sessions/state-store.js';
import { IssuerAudit } from './audit/issuer-audit.js';
import { Customers } from './customers.js';
import { bindSignIns, type SignInBinding } from './interactions/sign-in-binding.js';
import { guardIssuer } from './issuer-guard.js';
import { createIssuerProvider } from './issuer-provider.js';
import { People } from './people.js';

/** Creates issuers with the services that all of them share. */
@Injectable()
export class IssuerServices {
  constructor(
    private readonly clients: ClientRegistry,
    private readonly clientKeys: ClientKeys,
    private readonly limits: ClientLimits,
    private readonly secrets: SecretHashes,
    private readonly customers: Customers,
    private readonly people: People,
    private readonly store: StateStore,
    private readonly revocations: SessionRevocations,
    private readonly audit: IssuerAudit,
    private readonly origins: WebOrigins,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  create(organization: OrganizationProfile, keys: SigningKey[]): { provider: Provider; signIns: SignInBinding } {
    const { clients, clientKeys, limits, secrets, customers, people, store } = this;
    const { revocations, audit, origins, logger, config } = this;
    const { BASE_URL: baseUrl, KEY_ENCRYPTION_KEY: nonceKey } = config;
    const { COOKIE_KEY, COOKIE_KEY_PREVIOUS } = config;
    const cookieKeys = [COOKIE_KEY, ...(COOKIE_KEY_PREVIOUS ? [COOKIE_KEY_PREVIOUS] : [])];
    const provider = createIssuerProvider(organization, keys, {
      baseUrl,
      secrets,
      cookieKeys,
      nonceKey,
      clients,
      clientKeys,
      limits,
      customers,
      people,
      store,
      revocations,
      audit,
    });
    const signIns = bindSignIns(provider, organization.shortId, baseUrl, cookieKeys);
    guardIssuer(provider, organization.shortId, { audit, origins, signIns, logger });
    return { provider, signIns };
  }
}
