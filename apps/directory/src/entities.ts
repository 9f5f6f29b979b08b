import { AppEntity, AppGrantEntity } from './apps/app.entity.js';
import { AppSecretEntity } from './apps/secrets/app-secret.entity.js';
import { OrganizationEntity } from './organizations/organization.entity.js';

/** What the data source of this service maps. */
export const entities = [OrganizationEntity, AppEntity, AppGrantEntity, AppSecretEntity];
