import { CredentialTypeEntity } from './credential-types/credential-type.entity.js';
import { PresencePolicyEntity } from './presence/presence-policy.entity.js';

/** What the data source of this service maps. */
export const entities = [CredentialTypeEntity, PresencePolicyEntity];
