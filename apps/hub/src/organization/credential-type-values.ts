import type { Schemas } from '@holdfast/api-client';

/** What the form of a credential type has: `yes` or nothing for what is true or false. */
export interface TypeValues extends Record<string, string> {
  name: string;
  display: string;
  validity: string;
  renewalWindow: string;
  maxPasskeys: string;
  revocable: string;
  isDefault: string;
}

export const emptyType: TypeValues = {
  name: '',
  display: '',
  validity: '',
  renewalWindow: '',
  maxPasskeys: '10',
  revocable: 'yes',
  isDefault: '',
};

export function valuesOfType(type: Schemas['CredentialType']): TypeValues {
  const { name, display, validity = '', renewalWindow = '', maxPasskeys = 10, revocable, isDefault } = type;
  const yes = (value: boolean) => (value ? 'yes' : '');
  return {
    ...{ name, display, validity, renewalWindow, maxPasskeys: String(maxPasskeys) },
    revocable: yes(revocable),
    isDefault: yes(isDefault),
  };
}

/** The members of a request that the values stand for; an empty duration is absent. */
export function termsOf({ display, validity, renewalWindow, maxPasskeys, revocable, isDefault }: TypeValues) {
  return {
    display: display.trim(),
    ...(validity.trim() !== '' && { validity: validity.trim() }),
    ...(renewalWindow.trim() !== '' && { renewalWindow: renewalWindow.trim() }),
    maxPasskeys: Number(maxPasskeys),
    revocable: revocable !== '',
    ...(isDefault !== '' && { isDefault: true as const }),
  };
}
