import { CONFIG, LOGGER } from '@holdfast/bus';
import type { Logger } from '@holdfast/kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Provider } from 'oidc-provider';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import type { SigningKey } from '../keys/key-pair.js';
import { Endings } from '../state/endings.js';
import { StateStore } from '../state/state-store.js';
import { Customers } from './customers.js';
import { IssuerAudit } from './issuer-audit.js';
import { guardIssuer } from './issuer-guard.js';
import { createIssuerProvider } from './issuer-provider.js';
import type { OrganizationProfile } from './organizations.js';

/** What every issuer stands on. */
@Injectable()
export class IssuerServices {
  constructor(
    private readonly clients: ClientRegistry,
    private readonly customers: Customers,
    private readonly store: StateStore,
    private readonly endings: Endings,
    private readonly audit: IssuerAudit,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  create(organization: OrganizationProfile, keys: SigningKey[]): Provider {
    const { clients, customers, store, endings, audit, logger, config: { BASE_URL: baseUrl, SECRET_PEPPER: pepper } } = this;
    const provider = createIssuerProvider(organization, keys, { baseUrl, pepper, clients, customers, store, endings, audit });
    guardIssuer(provider, organization.shortId, { audit, logger });
    return provider;
  }
}
