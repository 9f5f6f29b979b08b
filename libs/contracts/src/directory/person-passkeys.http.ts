import { z } from 'zod';
import { endsRights } from '../http/endpoint.js';
import { http } from '../http/forwarded.js';
import { personOfRepeat, personTarget } from '../http/targets.js';
import { passkeyName, type UserPasskey } from './person-fields.js';
import { listPersonPasskeys, removePersonPasskey, renamePersonPasskey } from './person-passkeys.js';

const tag = 'Admin API: users';
const path = '/o/{shortId}/api/admin/users/{user}/passkeys';
const params = { user: 'person' } as const;
const ownerNote = 'Only owners do this to an owner.';

export const passkeyExample: UserPasskey = {
  id: 'e0c1b7a4-1f5d-4c52-8d6e-9a3b7c5d2f10',
  name: 'Work laptop',
  synced: true,
  createdAt: '2026-11-21T09:32:00.000Z',
  lastUsedAt: '2026-11-22T08:15:00.000Z',
};
export const passkeyNameSchema = z
  .strictObject({ name: passkeyName.describe('By which people recognize it') })
  .meta({ id: 'PasskeyName' });
export const passkeyNameExamples = { name: { summary: 'A name', value: { name: 'Work laptop' } } };

export const userPasskeyEndpoints = [
  http(listPersonPasskeys, {
    id: 'listUserPasskeys',
    method: 'GET',
    path,
    tag,
    summary: 'List the passkeys of a person',
    description: 'All passkeys of the person, oldest first; there are 20 at most.',
    operation: 'users:read',
    action: 'passkey.list',
    params,
    response: 'The passkeys',
    example: { items: [passkeyExample] },
    targets: ({ params: { user } }, outcome) => (outcome ? [personTarget(user)] : []),
  }),
  http(renamePersonPasskey, {
    id: 'renameUserPasskey',
    method: 'PATCH',
    path: `${path}/{passkey}`,
    tag,
    summary: 'Rename a passkey of a person',
    description: `Changes the name by which people recognize the passkey. ${ownerNote}`,
    operation: 'users:manage',
    noStepUp: 'a passkey is recognized by its key: its name gives no rights',
    action: 'passkey.rename',
    params,
    body: passkeyNameSchema,
    bodies: passkeyNameExamples,
    response: 'The passkey',
    member: 'passkey',
    example: passkeyExample,
    targets: personOfRepeat,
  }),
  http(removePersonPasskey, {
    id: 'removeUserPasskey',
    method: 'DELETE',
    path: `${path}/{passkey}`,
    tag,
    summary: 'Remove a passkey of a person',
    description:
      'Ends all sessions and tokens of the person. The only passkey of an active person cannot be removed: recover ' +
      `or deactivate the person. ${ownerNote}`,
    operation: 'users:manage',
    noStepUp: endsRights,
    action: 'passkey.remove',
    params,
    status: 204,
    response: 'The passkey is removed',
    targets: personOfRepeat,
  }),
];
