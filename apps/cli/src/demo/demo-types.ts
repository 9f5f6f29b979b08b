import {
  createCredentialType,
  listCredentialTypes,
  updateCredentialType,
  type CredentialType,
} from '@holdfast/contracts';
import type { OperatorSession } from '../operator-session.js';

type WantedType = Omit<CredentialType, 'holders' | 'maxPasskeys'>;

/** One type is renewed every year, one expires within a day, one never expires. */
const demoTypes: WantedType[] = [
  { name: 'customer', display: 'Customer', validity: 'P1Y', renewalWindow: 'P30D', revocable: true, isDefault: true },
  { name: 'day-pass', display: 'Day pass', validity: 'PT24H', revocable: false, isDefault: false },
  { name: 'membership', display: 'Membership', revocable: true, isDefault: false },
];

/** The part of a type that demo.json contains. */
export type DemoType = Pick<CredentialType, 'name' | 'validity' | 'renewalWindow' | 'revocable' | 'isDefault'>;

/**
 * Creates missing types. Every organization starts with the type `customer`, which never expires; the seed gives it a
 * validity. Types that the operator changed stay as they are.
 */
export async function seedTypes(session: OperatorSession, org: string): Promise<DemoType[]> {
  const { items } = await session.request(listCredentialTypes, {}, org);
  const types: CredentialType[] = [...items];
  for (const wanted of demoTypes) {
    const at = items.findIndex(({ name }) => name === wanted.name);
    const found = items[at];
    if (!found) types.push(await session.request(createCredentialType, wanted, org));
    else if (wanted.validity !== undefined && found.validity === undefined)
      types[at] = await session.request(updateCredentialType, bounded(wanted), org);
  }
  return types.map(({ name, validity, renewalWindow, revocable, isDefault }) => ({
    name,
    ...(validity !== undefined && { validity }),
    ...(renewalWindow !== undefined && { renewalWindow }),
    revocable,
    isDefault,
  }));
}

function bounded({
  name,
  validity,
  renewalWindow,
}: WantedType): Pick<WantedType, 'name' | 'validity' | 'renewalWindow'> {
  return { name, ...(validity !== undefined && { validity }), ...(renewalWindow !== undefined && { renewalWindow }) };
}
