import { z } from 'zod';
import { uuid } from '../fields.js';
import { endsRights, hasMember } from '../http/endpoint.js';
import { groupIdExample, userIdExample as userId } from '../http/example-ids.js';
import { http } from '../http/forwarded.js';
import { namePrefix } from '../http/paging.js';
import { groupTarget, personTarget } from '../http/targets.js';
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroupMembers,
  listGroups,
  listGroupsOfPerson,
  maxMembersPerRequest,
  membersSchema,
  removeGroupMembers,
  updateGroup,
  type Group,
} from './groups.js';

const tag = 'Admin API: groups';
const operation = 'groups:manage';
const path = '/o/{shortId}/api/admin/groups';
const params = { group: uuid.describe('The group: its `id`') };

const addedAt = '2026-11-21T09:30:00.000Z';
const example: Group = {
  id: groupIdExample,
  name: 'Support',
  description: 'Answers questions of customers',
  createdAt: '2026-11-21T09:30:00.000Z',
};
const several = {
  several: { summary: 'Two people', value: { users: [userId, '0b6c1d52-8f0e-4a39-9a35-6d3c1f5d7a11'] } },
};
const changedSchema = z
  .strictObject({ changed: z.int().describe('How many people were not so already') })
  .meta({ id: 'GroupMembersChanged' });

export const groupEndpoints = [
  http(listGroups, {
    id: 'listGroups',
    method: 'GET',
    path,
    tag,
    summary: 'List groups',
    description: 'The groups of the organization, newest first; with `q` by name.',
    operation,
    action: 'group.list',
    query: { q: namePrefix('groups') },
    response: 'A page of groups',
    page: 'GroupPage',
    order: 'Newest first; with `q` by name',
    example,
    targets: () => [],
  }),
  http(createGroup, {
    id: 'createGroup',
    method: 'POST',
    path,
    tag,
    summary: 'Create a group',
    description:
      'Creates a group without members. Groups give people access to apps to which the group is assigned; a group ' +
      'has no role. Two groups cannot have names that differ only in case, width or spacing.',
    operation,
    noStepUp: 'an empty group gives nobody access',
    action: 'group.create',
    body: 'group',
    bodies: { named: { summary: 'A group', value: { name: example.name, description: example.description } } },
    status: 201,
    response: 'The group is created',
    member: 'group',
    example,
    targets: (_, outcome) => (outcome ? [groupTarget(outcome.reply.group.id)] : []),
    location: {
      of: 'the group',
      path: ({ params: { shortId } }, { group }) => `/o/${shortId}/api/admin/groups/${group.id}`,
    },
  }),
  http(getGroup, {
    id: 'getGroup',
    method: 'GET',
    path: `${path}/{group}`,
    tag,
    summary: 'Get a group',
    operation,
    action: 'group.read',
    params,
    response: 'The group',
    example,
    targets: ({ params: { group } }) => [groupTarget(group)],
  }),
  http(updateGroup, {
    id: 'updateGroup',
    method: 'PATCH',
    path: `${path}/{group}`,
    tag,
    summary: 'Rename or describe a group',
    description: 'Changes only the given members. Tokens issued from now on have the new name.',
    operation,
    // Tokens have the names of groups, and apps may derive rights from them.
    stepUp: (json) => hasMember(json, 'name'),
    action: 'group.update',
    params,
    body: 'changes',
    bodies: {
      renamed: { summary: 'Another name', value: { name: 'Customer support' } },
      undescribed: { summary: 'Without description', value: { description: null } },
    },
    response: 'The group as it is now',
    member: 'group',
    example,
    targets: ({ params: { group } }) => [groupTarget(group)],
  }),
  http(deleteGroup, {
    id: 'deleteGroup',
    method: 'DELETE',
    path: `${path}/{group}`,
    tag,
    summary: 'Delete a group',
    description:
      'Ends its memberships and its assignments: people who could use an app only through the group are signed out ' +
      'of it within a second. Each membership and assignment that ends has an event.',
    operation,
    noStepUp: endsRights,
    action: 'group.delete',
    params,
    status: 204,
    response: 'The group is deleted',
    targets: ({ params: { group } }) => [groupTarget(group)],
  }),
  http(listGroupMembers, {
    id: 'listGroupMembers',
    method: 'GET',
    path: `${path}/{group}/members`,
    tag,
    summary: 'List the members of a group',
    description: 'Latest member first. `users:read` reads who they are.',
    operation,
    action: 'group.member.list',
    params,
    response: 'A page of members',
    page: 'GroupMemberPage',
    example: { user: userId, addedAt },
    targets: ({ params: { group } }) => [groupTarget(group)],
  }),
  http(listGroupsOfPerson, {
    id: 'listGroupsOfUser',
    method: 'GET',
    path: '/o/{shortId}/api/admin/users/{user}/groups',
    tag,
    summary: 'List the groups of a person',
    description: 'Latest membership first.',
    operation,
    action: 'group.member.list',
    params: { user: uuid.describe('The person: `id` of the user') },
    response: 'A page of groups',
    page: 'GroupOfUserPage',
    example: { group: example.id, name: 'Support', addedAt },
    targets: ({ params: { user } }) => [personTarget(user)],
  }),
  // A refused request has the group as its target: its people are in no record unless they were changed.
  http(addGroupMembers, {
    id: 'addGroupMembers',
    method: 'POST',
    path: `${path}/{group}/members`,
    tag,
    summary: 'Add people to a group',
    description:
      `Adds up to ${maxMembersPerRequest} people, all of them or none: 422 names those who do not exist by their ` +
      'place in the list. A person who is a member already is no error.',
    operation,
    stepUp: true,
    action: 'group.member.add',
    params,
    body: membersSchema,
    bodies: several,
    response: 'They are members',
    schema: changedSchema,
    example: { changed: 2 },
    targets: ({ params: { group } }) => [groupTarget(group)],
  }),
  http(removeGroupMembers, {
    id: 'removeGroupMembers',
    method: 'POST',
    path: `${path}/{group}/members/remove`,
    tag,
    summary: 'Remove people from a group',
    description:
      `Removes up to ${maxMembersPerRequest} people, all of them or none: 422 names those who do not exist by their ` +
      'place in the list. A person who is no member is no error. People who could use an app only through the ' +
      'group are signed out of it within a second.',
    operation,
    noStepUp: endsRights,
    action: 'group.member.remove',
    params,
    body: membersSchema,
    bodies: several,
    response: 'They are no members',
    schema: changedSchema,
    example: { changed: 2 },
    targets: ({ params: { group } }) => [groupTarget(group)],
  }),
];
