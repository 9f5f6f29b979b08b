import { z } from 'zod';
import { endsRights, hasMember } from '../http/endpoint.js';
import { http } from '../http/forwarded.js';
import { personOfRepeat, personTarget } from '../http/targets.js';
import {
  changeRoles,
  getPerson,
  invitationRequestSchema,
  invitedSchema,
  invitePerson,
  linkRequestSchema,
  listPeople,
  personPatchSchema,
  reissueInvitation,
  removePerson,
  setPersonActive,
  updatePerson,
  withdrawInvitation,
} from './people.js';
import { personRoles, type User } from './person-fields.js';

const tag = 'Admin API: users';
const operation = 'users:manage';
const path = '/o/{shortId}/api/admin/users';
const params = { user: 'person' } as const;
const ownerNote = 'Only owners do this to an owner.';
const { status, role, group, q } = listPeople.request.shape;

export const userExample: User = {
  id: '7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34',
  email: 'ann@example.com',
  name: 'Ann Lee',
  status: 'active',
  roles: ['admin'],
  createdAt: '2026-11-21T09:30:00.000Z',
  lastSignInAt: '2026-11-22T08:15:00.000Z',
};
const invitationExample: z.infer<typeof invitedSchema> = {
  user: {
    id: userExample.id,
    email: 'ann@example.com',
    name: 'Ann Lee',
    status: 'invited',
    roles: ['admin'],
    createdAt: '2026-11-21T09:30:00.000Z',
    invitation: { expiresAt: '2026-11-24T09:30:00.000Z', recovery: false },
  },
  invitationUrl: 'https://id.example/o/acme/invitation#vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM',
};

export const userEndpoints = [
  http(listPeople, {
    id: 'listUsers',
    method: 'GET',
    path,
    tag,
    summary: 'List people',
    description:
      'The people of the organization, newest first; with `group`, its latest member first. With several filters a ' +
      'page may have fewer people than `limit`, or none, and another page follows: each page looks at a bounded ' +
      'number of people.',
    operation: 'users:read',
    action: 'user.list',
    query: { status, role, group, q },
    response: 'A page of people',
    page: 'UserPage',
    example: userExample,
    targets: () => [],
  }),
  http(getPerson, {
    id: 'getUser',
    method: 'GET',
    path: `${path}/{user}`,
    tag,
    summary: 'Get a person',
    description: 'A person of the organization.',
    operation: 'users:read',
    action: 'user.read',
    params,
    response: 'The person',
    example: userExample,
    targets: ({ params: { user } }, outcome) => (outcome ? [personTarget(user)] : []),
  }),
  http(invitePerson, {
    id: 'inviteUser',
    method: 'POST',
    path,
    tag,
    summary: 'Invite a person',
    description:
      'Adds a person, who becomes active by opening the link of the response and making a passkey. Holdfast sends no ' +
      'e-mail: hand the link to the person. Only owners invite an owner.',
    operation,
    stepUp: true,
    action: 'user.invite',
    body: invitationRequestSchema,
    bodies: {
      admin: {
        summary: 'An admin',
        value: { email: 'ann@example.com', name: 'Ann Lee', roles: ['admin'], expiresIn: 259200 },
      },
      colleague: { summary: 'Somebody without a role', value: { email: 'bo@example.com', name: 'Bo' } },
    },
    status: 201,
    response: 'The person is invited',
    schema: invitedSchema,
    example: invitationExample,
    targets: personOfRepeat,
    location: {
      of: 'the person',
      path: ({ params: { shortId } }, { user }) => `/o/${shortId}/api/admin/users/${user.id}`,
    },
  }),
  http(updatePerson, {
    id: 'updateUser',
    method: 'PATCH',
    path: `${path}/{user}`,
    tag,
    summary: 'Change the e-mail address or name of a person',
    description: `Changes the given members only. ${ownerNote}`,
    operation,
    // Apps recognize people by the address in their tokens.
    stepUp: (json) => hasMember(json, 'email'),
    action: 'user.update',
    params,
    body: personPatchSchema,
    bodies: { name: { summary: 'Another name', value: { name: 'Ann Lee-Novak' } } },
    response: 'The person',
    member: 'user',
    example: { ...userExample, name: 'Ann Lee-Novak' },
    targets: personOfRepeat,
  }),
  http(setPersonActive, {
    id: 'deactivateUser',
    method: 'POST',
    path: `${path}/{user}/deactivate`,
    tag,
    summary: 'Deactivate a person',
    description:
      'Sessions and tokens of the person end within a second, and they cannot sign in until they are reactivated. An ' +
      `open invitation link is withdrawn. ${ownerNote} The last active owner cannot be deactivated.`,
    operation,
    noStepUp: endsRights,
    action: 'user.deactivate',
    params,
    response: 'The person',
    member: 'user',
    example: { ...userExample, status: 'deactivated' },
    without: ['invalid_state'],
    request: ({ params: { user } }) => ({ person: user, active: false }),
    targets: personOfRepeat,
  }),
  http(setPersonActive, {
    id: 'reactivateUser',
    method: 'POST',
    path: `${path}/{user}/reactivate`,
    tag,
    summary: 'Reactivate a person',
    description:
      'The person can sign in again with their passkeys, with the same roles, groups and assignments. Somebody who ' +
      `never accepted an invitation is invited again, and needs a new link. ${ownerNote}`,
    operation,
    stepUp: true,
    action: 'user.reactivate',
    params,
    response: 'The person',
    member: 'user',
    example: userExample,
    without: ['invalid_state', 'last_owner'],
    request: ({ params: { user } }) => ({ person: user, active: true }),
    targets: personOfRepeat,
  }),
  http(changeRoles, {
    id: 'changeUserRoles',
    method: 'POST',
    path: `${path}/{user}/roles`,
    tag,
    summary: 'Change the roles of a person',
    description:
      'Replaces all roles. Owners give and take every role, admins every role but `owner`, and nobody gives ' +
      'themselves one. The last active owner stays one. With fewer rights, platform tokens from before are refused ' +
      'within a second.',
    operation: 'roles:manage',
    stepUp: true,
    action: 'role.change',
    params,
    body: z
      .strictObject({ roles: personRoles.describe('All roles of the person from now on') })
      .meta({ id: 'UserRoles' }),
    bodies: {
      approver: { summary: 'An approver', value: { roles: ['approver'] } },
      none: { summary: 'No role', value: { roles: [] } },
    },
    response: 'The person',
    member: 'user',
    example: { ...userExample, roles: ['approver'] },
    targets: personOfRepeat,
  }),
  http(removePerson, {
    id: 'removeUser',
    method: 'DELETE',
    path: `${path}/{user}`,
    tag,
    summary: 'Remove a person',
    description:
      'Removes the person and erases their personal data. The audit log names a pseudonym instead. A repeat gets ' +
      `404, or 204 again with the same Idempotency-Key. ${ownerNote} The last active owner cannot be removed.`,
    operation,
    noStepUp: endsRights,
    action: 'user.remove',
    params,
    status: 204,
    response: 'The person is removed',
    targets: personOfRepeat,
  }),
  http(reissueInvitation, {
    id: 'reissueInvitation',
    method: 'POST',
    path: `${path}/{user}/invitation`,
    tag,
    summary: 'Issue a new link',
    description:
      'To an invited person instead of the earlier link, which ends. To an active one for a recovery: accepting it ' +
      'replaces all passkeys and ends all sessions and tokens; until then the passkeys still sign in. Only owners ' +
      'issue a link to an owner.',
    operation,
    // A link for an active person lets anybody who has it take their place.
    stepUp: true,
    action: 'user.invite',
    params,
    body: linkRequestSchema,
    bodies: {
      usual: { summary: 'With the usual lifetime', value: {} },
      day: { summary: 'For a day', value: { expiresIn: 86400 } },
    },
    status: 201,
    response: 'The new link',
    schema: invitedSchema,
    example: {
      user: { ...userExample, invitation: { expiresAt: '2026-11-25T09:30:00.000Z', recovery: true } },
      invitationUrl: invitationExample.invitationUrl,
    },
    targets: personOfRepeat,
  }),
  http(withdrawInvitation, {
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: `${path}/{user}/invitation`,
    tag,
    summary: 'Withdraw the link',
    description:
      'Ends the open link of a person. An invited person stays invited. Only owners withdraw that of an owner.',
    operation,
    noStepUp: endsRights,
    action: 'user.withdraw_invitation',
    params,
    status: 204,
    response: 'The link is withdrawn',
    targets: personOfRepeat,
  }),
];
