import { credentialTypeName } from '../fields.js';
import { http } from '../http/forwarded.js';
import {
  createCredentialType,
  listCredentialTypes,
  updateCredentialType,
  type CredentialType,
} from './credential-types.js';

const tag = 'Admin API: organization';
const path = '/o/{shortId}/api/admin/credential-types';

const example: CredentialType = {
  name: 'customer',
  display: 'Customer',
  validity: 'P1Y',
  renewalWindow: 'P30D',
  revocable: true,
  holders: ['passkey'],
  maxPasskeys: 10,
  isDefault: true,
};

export const credentialTypeEndpoints = [
  http(listCredentialTypes, {
    id: 'listCredentialTypes',
    method: 'GET',
    path,
    tag,
    summary: 'List credential types',
    description: 'The types of credentials that the organization issues, the oldest first. Offers and apps name them.',
    operation: 'issued:read',
    action: 'credential_type.list',
    response: 'The types',
    schema: listCredentialTypes.reply.meta({ id: 'CredentialTypes' }),
    example: { items: [example] },
    targets: () => [],
  }),
  http(createCredentialType, {
    id: 'createCredentialType',
    method: 'POST',
    path,
    tag,
    summary: 'Create a credential type',
    description: 'Its name is permanent. With `isDefault` it replaces the default type.',
    operation: 'organization:manage',
    stepUp: true,
    repeatIsSafe: 'names are unique: a repeat is refused with `conflict`',
    action: 'credential_type.create',
    body: createCredentialType.request.meta({ id: 'NewCredentialType' }),
    bodies: {
      membership: {
        summary: 'A membership of a year that renews itself in its last month',
        value: { name: 'member', display: 'Member', validity: 'P1Y', renewalWindow: 'P30D' },
      },
    },
    status: 201,
    response: 'The type',
    example,
    targets: ({ body }) => [{ type: 'credential_type', id: body.name }],
  }),
  http(updateCredentialType, {
    id: 'updateCredentialType',
    method: 'PATCH',
    path: `${path}/{name}`,
    tag,
    summary: 'Change a credential type',
    description:
      'Issued credentials keep their expiration, and whether they are revocable; the next claim or renewal uses the ' +
      'new values.',
    operation: 'organization:manage',
    stepUp: true,
    repeatIsSafe: 'the same values are set again',
    action: 'credential_type.update',
    params: { name: credentialTypeName.describe('The credential type') },
    body: updateCredentialType.request.omit({ name: true }).meta({ id: 'CredentialTypePatch' }),
    bodies: { shorter: { summary: 'A shorter validity', value: { validity: 'P90D' } } },
    response: 'The type as it is now',
    example,
    targets: ({ params: { name } }) => [{ type: 'credential_type', id: name }],
  }),
];
