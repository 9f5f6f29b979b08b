import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { instant, pageLimit, uuid } from '../fields.js';
import { readableName, readableText } from '../readable-text.js';

/** People whom one request may add to a group, or remove from it. */
export const maxMembersPerRequest = 500;
/** Groups of one person: their names must fit into a token. */
export const maxGroupsPerPerson = 500;

const name = readableName(100).describe(
  'Unique in the organization; upper and lower case and variants of a letter do not differ',
);
const description = readableText(500).describe('What the group is for');

export const newGroupSchema = z.strictObject({ name, description: description.optional() }).meta({ id: 'NewGroup' });

export const groupChangesSchema = z
  .strictObject({ name: name.optional(), description: description.nullable().optional().describe('Null removes it') })
  .refine((changes) => Object.keys(changes).length > 0, 'must have at least one member')
  .meta({ id: 'GroupChanges' });

const groupSchema = z
  .strictObject({
    id: uuid.describe('The group'),
    name: z.string().describe('Its name, as tokens of its members have it'),
    description: z.string().optional().describe('What it is for'),
    createdAt: instant.describe('When it was created'),
  })
  .meta({ id: 'Group' });
export type Group = z.infer<typeof groupSchema>;

const groupMemberSchema = z
  .strictObject({
    user: uuid.describe('The person'),
    addedAt: instant.describe('When the person became a member'),
  })
  .meta({ id: 'GroupMember' });
export type GroupMember = z.infer<typeof groupMemberSchema>;

const groupOfPersonSchema = z
  .strictObject({
    group: uuid.describe('The group'),
    name: z.string().describe('Its name'),
    addedAt: instant.describe('When the person became a member'),
  })
  .meta({ id: 'GroupOfUser' });
export type GroupOfPerson = z.infer<typeof groupOfPersonSchema>;

/** Sort key of a page's last row: newest first, or by name when the list is searched by name. */
const groupCursorSchema = z.union([
  z.strictObject({ createdAt: instant, id: uuid }),
  z.strictObject({ nameKey: z.string() }),
]);
const membershipCursorSchema = z.strictObject({ addedAt: instant, id: uuid });

const members = {
  group: uuid,
  users: z
    .array(uuid)
    .min(1, `must have 1 to ${maxMembersPerRequest} entries`)
    .max(maxMembersPerRequest, `must have 1 to ${maxMembersPerRequest} entries`),
};
export const membersSchema = z
  .strictObject({ users: members.users.describe('The people; a person may be named twice') })
  .meta({ id: 'GroupMembers' });

export const listGroups = query({
  service: 'directory',
  name: 'list-groups',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    q: z.string().max(100).optional().describe('Beginning of the name'),
    limit: pageLimit,
    after: groupCursorSchema.optional(),
  }),
  reply: z.strictObject({ items: z.array(groupSchema), next: groupCursorSchema.optional() }),
  errors: ['unknown_organization'],
});
export const getGroup = query({
  service: 'directory',
  name: 'get-group',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ group: uuid }),
  reply: groupSchema,
  errors: ['unknown_group'],
});
export const createGroup = idempotentCommand({
  service: 'directory',
  name: 'create-group',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ group: newGroupSchema }),
  reply: z.strictObject({ group: groupSchema }),
  errors: ['unknown_organization', 'conflict'],
});
export const updateGroup = idempotentCommand({
  service: 'directory',
  name: 'update-group',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ group: uuid, changes: groupChangesSchema }),
  reply: z.strictObject({ group: groupSchema, changed: z.boolean() }),
  errors: ['unknown_group', 'conflict'],
});
/** Ends the memberships of its people and its assignments to apps. */
export const deleteGroup = idempotentCommand({
  service: 'directory',
  name: 'delete-group',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ group: uuid }),
  reply: z.strictObject({}),
  errors: ['unknown_group'],
});

const changed = z.int().describe('How many people were added or removed: the others were so already');
/** All of them, or none. */
export const addGroupMembers = idempotentCommand({
  service: 'directory',
  name: 'add-group-members',
  callers: ['gateway', 'operator'],
  request: z.strictObject(members),
  reply: z.strictObject({ changed }),
  errors: ['unknown_group', 'invalid_request'],
});
export const removeGroupMembers = idempotentCommand({
  service: 'directory',
  name: 'remove-group-members',
  callers: ['gateway', 'operator'],
  request: z.strictObject(members),
  reply: z.strictObject({ changed }),
  errors: ['unknown_group', 'invalid_request'],
});
export const listGroupMembers = query({
  service: 'directory',
  name: 'list-group-members',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ group: uuid, limit: pageLimit, after: membershipCursorSchema.optional() }),
  reply: z.strictObject({ items: z.array(groupMemberSchema), next: membershipCursorSchema.optional() }),
  errors: ['unknown_group'],
});
export const listGroupsOfPerson = query({
  service: 'directory',
  name: 'list-groups-of-person',
  callers: ['gateway'],
  request: z.strictObject({ user: uuid, limit: pageLimit, after: membershipCursorSchema.optional() }),
  reply: z.strictObject({ items: z.array(groupOfPersonSchema), next: membershipCursorSchema.optional() }),
  errors: ['unknown_user'],
});
