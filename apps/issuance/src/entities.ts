import { CredentialTypeEntity } from './credential-types/credential-type.entity.js';
import { PresencePolicyEntity } from './presence/presence-policy.entity.js';

/** The entities of this service's data source. */
export const entities = [CredentialTypeEntity, PresencePolicyEntity];
