import type { Schemas } from '@holdfast/api-client';

export type Organization = Schemas['Organization'];

/** The form, as it was typed. */
export type OrganizationValues = Record<'name' | 'startUrl' | 'helpUrl' | 'accentColor', string>;

/** What the form shows of an organization. */
export function valuesOf({ name, startUrl = '', helpUrl = '', accentColor = '' }: Organization): OrganizationValues {
  return { name, startUrl, helpUrl, accentColor };
}

/** The members that differ from the organization; an empty field removes its member. */
export function changesOf(organization: Organization, values: OrganizationValues): Schemas['OrganizationPatch'] {
  const before = valuesOf(organization);
  const { name } = values;
  const optional = (['startUrl', 'helpUrl', 'accentColor'] as const)
    .map((member) => [member, values[member].trim()] as const)
    .filter(([member, value]) => value !== before[member]);
  return {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...Object.fromEntries(optional.map(([member, value]) => [member, value === '' ? null : value])),
  };
}
