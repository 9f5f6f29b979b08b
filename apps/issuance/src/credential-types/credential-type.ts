import type { CredentialType } from '@holdfast/contracts';

export type { CredentialType } from '@holdfast/contracts';

/** The type that every organization starts with (product §5). */
export const firstType: CredentialType = {
  name: 'customer',
  display: 'Customer',
  revocable: true,
  holders: ['passkey', 'wallet'],
  isDefault: true,
};
