import { AppEntity, AppGrantEntity } from './apps/app.entity.js';
import { RemovedKeyEntity } from './apps/keys/removed-key.entity.js';
import { AppSecretEntity } from './apps/secrets/app-secret.entity.js';
import { OrganizationEntity } from './organizations/organization.entity.js';

/** The entities of this service's data source. */
export const entities = [OrganizationEntity, AppEntity, AppGrantEntity, AppSecretEntity, RemovedKeyEntity];
