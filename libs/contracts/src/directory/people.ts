import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { instant, pageLimit, uuid } from '../fields.js';
import { readableText } from '../readable-text.js';
import { roleNames } from '../roles.js';
import { personEmail, personName, personRoles, personStatuses, userSchema } from './person-fields.js';

/** The sort key of a page's last row. The gateway encrypts it as the opaque page token. */
const personCursorSchema = z.strictObject({ createdAt: instant, person: uuid });
export type PersonCursor = z.infer<typeof personCursorSchema>;

/** Each word is a prefix of 2 to 20 characters of a word of the name or of the e-mail address, or all of one. */
const personSearch = readableText(254).min(2, 'must have at least 2 characters');

const person = uuid.describe('The person');

/** Newest first; of a group, its latest member first. All filters together; a group that does not exist has nobody. */
export const listPeople = query({
  service: 'directory',
  name: 'list-people',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    status: z.enum(personStatuses).optional().describe('Only people with this status'),
    role: z.enum(roleNames).optional().describe('Only people with this role'),
    group: uuid.optional().describe('Only members of this group'),
    q: personSearch
      .optional()
      .describe(
        'Only people of whose name a word, or whose e-mail address, begins so, upper or lower case. Each word needs ' +
          '2 to 20 characters, or must be complete; all must be found',
      ),
    limit: pageLimit,
    after: personCursorSchema.optional(),
  }),
  reply: z.strictObject({ items: z.array(userSchema), next: personCursorSchema.optional() }),
  errors: ['unknown_organization'],
});

export const getPerson = query({
  service: 'directory',
  name: 'get-person',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person }),
  reply: userSchema,
  errors: ['unknown_user'],
});

const linkLifetime = z
  .int()
  .positive()
  .optional()
  .describe('Seconds until the link expires: 600 (ten minutes) to 2592000 (30 days), 259200 (72 hours) when left out')
  .meta({ examples: [259200] });

/** Response with a new link. */
export const invitedSchema = z
  .strictObject({
    user: userSchema.describe('The person'),
    invitationUrl: z
      .url()
      .describe(
        'The link that accepts the invitation, once. It is shown only here: hand it to the person, keep no copy',
      ),
  })
  .meta({ id: 'Invited' });

/** Body of an invitation. */
export const invitationRequestSchema = z
  .strictObject({
    email: personEmail.describe('Unique in the organization, whatever its case'),
    name: personName.describe('Their name'),
    roles: personRoles.default([]).describe('Roles that the person has as soon as they accept'),
    expiresIn: linkLifetime,
  })
  .meta({ id: 'InvitationRequest' });

export const invitePerson = idempotentCommand({
  service: 'directory',
  name: 'invite-person',
  callers: ['gateway', 'operator'],
  request: z.strictObject(invitationRequestSchema.shape),
  reply: z.strictObject(invitedSchema.shape),
  errors: ['unknown_organization', 'conflict', 'insufficient_role', 'invalid_request'],
});

export const linkRequestSchema = z.strictObject({ expiresIn: linkLifetime }).meta({ id: 'LinkRequest' });

/**
 * Issues a new link. For an invited person it supersedes the earlier one; for an active one it is a recovery, which
 * replaces all passkeys when it is accepted.
 */
export const reissueInvitation = idempotentCommand({
  service: 'directory',
  name: 'reissue-invitation',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person, ...linkRequestSchema.shape }),
  reply: z.strictObject(invitedSchema.shape),
  errors: ['unknown_user', 'insufficient_role', 'invalid_state', 'invalid_request'],
});

export const withdrawInvitation = idempotentCommand({
  service: 'directory',
  name: 'withdraw-invitation',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person }),
  reply: z.strictObject({}),
  errors: ['unknown_user', 'insufficient_role', 'invalid_state'],
});

export const personPatchSchema = z
  .strictObject({
    email: personEmail.optional().describe('Unique in the organization, whatever its case'),
    name: personName.optional().describe('Their name'),
  })
  .refine(({ email, name }) => email !== undefined || name !== undefined, 'must name a member to change')
  .meta({ id: 'UserPatch' });

/** Changes only the given members. */
export const updatePerson = idempotentCommand({
  service: 'directory',
  name: 'update-person',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person, ...personPatchSchema.shape }),
  reply: z.strictObject({ user: userSchema }),
  errors: ['unknown_user', 'insufficient_role', 'conflict'],
});

/** Deactivates or reactivates. Without effect when they are so already. */
export const setPersonActive = idempotentCommand({
  service: 'directory',
  name: 'set-person-active',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person, active: z.boolean() }),
  reply: z.strictObject({ user: userSchema }),
  errors: ['unknown_user', 'insufficient_role', 'invalid_state', 'last_owner'],
});

export const changeRoles = idempotentCommand({
  service: 'directory',
  name: 'change-roles',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person, roles: personRoles }),
  reply: z.strictObject({ user: userSchema }),
  errors: ['unknown_user', 'insufficient_role', 'last_owner'],
});

/** Removes the person and erases their personal data. */
export const removePerson = idempotentCommand({
  service: 'directory',
  name: 'remove-person',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person }),
  reply: z.strictObject({}),
  errors: ['unknown_user', 'insufficient_role', 'last_owner'],
});
