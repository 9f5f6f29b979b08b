import { endsRights } from '../http/endpoint.js';
import { http, type Caller } from '../http/forwarded.js';
import { personOfRepeat, personTarget } from '../http/targets.js';
import { userExample } from './people.http.js';
import { getPerson } from './people.js';
import { passkeyExample, passkeyNameExamples, passkeyNameSchema } from './person-passkeys.http.js';
import { listPersonPasskeys, removePersonPasskey, renamePersonPasskey } from './person-passkeys.js';

const tag = 'Admin API: own account';
const operation = 'account:manage';
const path = '/o/{shortId}/api/admin/users/me';

/** What a person does with their own account. Only tokens of people hold `account:manage`, and they say who it is. */
const own = ({ id: person }: Caller) => ({ person });

export const accountEndpoints = [
  http(getPerson, {
    id: 'getOwnAccount',
    method: 'GET',
    path,
    tag,
    summary: 'Get the own account',
    description: 'The person whose token this is.',
    operation,
    action: 'user.read',
    response: 'The person',
    example: userExample,
    request: (_, caller) => own(caller),
    targets: (_, outcome, { id }) => (outcome ? [personTarget(id)] : []),
  }),
  http(listPersonPasskeys, {
    id: 'listOwnPasskeys',
    method: 'GET',
    path: `${path}/passkeys`,
    tag,
    summary: 'List the own passkeys',
    description: 'All passkeys of the person whose token this is, oldest first; there are 20 at most.',
    operation,
    action: 'passkey.list',
    response: 'The passkeys',
    example: { items: [passkeyExample] },
    request: (_, caller) => own(caller),
    targets: (_, outcome, { id }) => (outcome ? [personTarget(id)] : []),
  }),
];

/** Apart from the others: in the API reference they follow those that add a passkey. */
export const ownPasskeyEndpoints = [
  http(renamePersonPasskey, {
    id: 'renameOwnPasskey',
    method: 'PATCH',
    path: `${path}/passkeys/{passkey}`,
    tag,
    summary: 'Rename an own passkey',
    description: 'Changes the name by which the person recognizes the passkey.',
    operation,
    noStepUp: 'a passkey is recognized by its key: its name gives no rights',
    action: 'passkey.rename',
    body: passkeyNameSchema,
    bodies: passkeyNameExamples,
    response: 'The passkey',
    member: 'passkey',
    example: passkeyExample,
    without: ['insufficient_role'],
    request: ({ params: { passkey }, body }, caller) => ({ ...own(caller), passkey, ...body }),
    targets: personOfRepeat,
  }),
  http(removePersonPasskey, {
    id: 'removeOwnPasskey',
    method: 'DELETE',
    path: `${path}/passkeys/{passkey}`,
    tag,
    summary: 'Remove an own passkey',
    description:
      'Ends all sessions and tokens of the person, this one included: which of them began with this passkey is not ' +
      'stored. The only passkey cannot be removed: add another one first.',
    operation,
    noStepUp: endsRights,
    action: 'passkey.remove',
    status: 204,
    response: 'The passkey is removed',
    without: ['insufficient_role'],
    request: ({ params: { passkey } }, caller) => ({ ...own(caller), passkey }),
    targets: personOfRepeat,
  }),
];
