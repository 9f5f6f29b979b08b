/** What an organization issues. People manage types; every organization starts with the one below. */
export interface CredentialType {
  name: string;
  display: string;
  /** ISO 8601 duration from issue to end; without one it has no end. */
  validity?: string;
  /** ISO 8601 duration before the end in which a sign-in renews it. */
  renewalWindow?: string;
  revocable: boolean;
  /** What may hold it. */
  holders: ('passkey' | 'wallet')[];
  isDefault: boolean;
}

/** The type that every organization starts with (product §5). */
export const firstType: CredentialType = {
  name: 'customer',
  display: 'Customer',
  revocable: true,
  holders: ['passkey', 'wallet'],
  isDefault: true,
};
