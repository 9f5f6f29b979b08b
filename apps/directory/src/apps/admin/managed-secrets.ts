import type { ManagedSecret } from '@holdfast/contracts';
import type { AppSecretEntity } from '../secrets/app-secret.entity.js';

/** A client secret as the Admin API shows it: never its value. */
export function toManagedSecret(secret: AppSecretEntity): ManagedSecret {
  const { id, createdAt, createdBy, createdByType, createdByPerson } = secret;
  const type = createdByType ?? (createdBy === null ? undefined : 'app');
  const maker = createdBy ?? createdByPerson;
  return {
    id,
    createdAt: createdAt.toISOString(),
    ...(createdBy !== null && { createdBy }),
    ...(type && { madeBy: { type, ...(maker !== null && { id: maker }) } }),
  };
}
