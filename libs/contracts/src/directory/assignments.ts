import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { clientId, instant, pageLimit, uuid } from '../fields.js';
import { makerSchema } from '../maker.js';

const assignmentSchema = z
  .strictObject({
    id: uuid.describe('The assignment'),
    app: z.string().describe('Client ID of the app'),
    user: uuid.optional().describe('The person who is assigned; absent when a group is'),
    group: uuid.optional().describe('The group whose members are assigned; absent when a person is'),
    accessRequest: uuid.optional().describe('The access request whose approval created it'),
    createdAt: instant.describe('When it was created'),
    createdBy: makerSchema.optional().describe('Who created it, or approved the access request'),
    expiresAt: instant.optional().describe('When it ends by itself, if it does'),
  })
  .meta({ id: 'Assignment' });
export type Assignment = z.infer<typeof assignmentSchema>;

/** Who is assigned: a person or a group. */
const assigneeSchema = z
  .strictObject({
    user: uuid.optional().describe('The person'),
    group: uuid.optional().describe('The group whose members are assigned'),
  })
  .refine(({ user, group }) => (user === undefined) !== (group === undefined), 'must have either `user` or `group`')
  .meta({ id: 'NewAssignment' });
export type Assignee = z.infer<typeof assigneeSchema>;

const assignmentCursorSchema = z.strictObject({ createdAt: instant, id: uuid });

/** Only to apps of audience `people`, and never to the hub, to which everybody active is assigned. */
export const assign = idempotentCommand({
  service: 'directory',
  name: 'assign',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ clientId, assignee: assigneeSchema }),
  reply: z.strictObject({ assignment: assignmentSchema }),
  errors: ['unknown_app', 'invalid_request', 'conflict'],
});
export const unassign = idempotentCommand({
  service: 'directory',
  name: 'unassign',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ clientId, assignment: uuid.describe('The assignment: its `id`') }),
  reply: z.strictObject({}),
  errors: ['unknown_app', 'unknown_assignment'],
});
/** An assignment that has expired is not listed, even before the job has deleted it. */
export const listAssignments = query({
  service: 'directory',
  name: 'list-assignments',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    clientId,
    user: uuid.optional().describe('Only assignments of this person'),
    group: uuid.optional().describe('Only the assignment of this group'),
    limit: pageLimit,
    after: assignmentCursorSchema.optional(),
  }),
  reply: z.strictObject({ items: z.array(assignmentSchema), next: assignmentCursorSchema.optional() }),
  errors: ['unknown_app'],
});
