import type { ManagedSecret } from '@holdfast/contracts';
import type { AppSecretEntity } from '../secrets/app-secret.entity.js';

/** A client secret as the Admin API shows it: never its value. */
export function toManagedSecret({ id, createdAt, createdBy }: AppSecretEntity): ManagedSecret {
  return { id, createdAt: createdAt.toISOString(), ...(createdBy !== null && { createdBy }) };
}
