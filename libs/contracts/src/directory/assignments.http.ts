import { endsRights } from '../http/endpoint.js';
import { clientIdExample, groupIdExample, userIdExample } from '../http/example-ids.js';
import { http } from '../http/forwarded.js';
import { appTarget } from '../http/targets.js';
import { clientIdParameter } from './apps-admin.js';
import { assign, listAssignments, unassign, type Assignment } from './assignments.js';

const tag = 'Admin API: apps';
const operation = 'apps:manage';
const path = '/o/{shortId}/api/admin/apps/{clientId}/assignments';
const params = { clientId: clientIdParameter };
const { user, group } = listAssignments.request.shape;

export const assignmentExample: Assignment = {
  id: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
  app: clientIdExample,
  group: groupIdExample,
  createdAt: '2026-11-21T09:30:00.000Z',
};

export const assignmentEndpoints = [
  http(listAssignments, {
    id: 'listAssignments',
    method: 'GET',
    path,
    tag,
    summary: 'List the assignments of an app',
    description:
      'The people and groups that are assigned to the app, newest first. Assignments that ended are not listed.',
    operation,
    action: 'assignment.list',
    params,
    query: { user, group },
    response: 'A page of assignments',
    page: 'AssignmentPage',
    example: assignmentExample,
    targets: ({ params: { clientId } }) => [appTarget(clientId)],
  }),
  http(assign, {
    id: 'createAssignment',
    method: 'POST',
    path,
    tag,
    summary: 'Assign a person or a group to an app',
    description:
      'From now on the person, or every member of the group, can sign in to the app. The app must be of audience ' +
      '`people`. A deactivated person can be assigned: it has an effect once they are active.',
    operation,
    stepUp: true,
    action: 'assignment.create',
    params,
    body: 'assignee',
    bodies: {
      group: { summary: 'A group', value: { group: groupIdExample } },
      person: { summary: 'A person', value: { user: userIdExample } },
    },
    status: 201,
    response: 'The person or group is assigned',
    member: 'assignment',
    example: assignmentExample,
    targets: ({ params: { clientId } }) => [appTarget(clientId)],
  }),
  http(unassign, {
    id: 'deleteAssignment',
    method: 'DELETE',
    path: `${path}/{assignment}`,
    tag,
    summary: 'End an assignment',
    description: 'People who have no other path to the app are signed out of it within a second.',
    operation,
    noStepUp: endsRights,
    action: 'assignment.end',
    params,
    status: 204,
    response: 'The assignment has ended',
    targets: ({ params: { clientId, assignment } }) => [appTarget(clientId), { type: 'assignment', id: assignment }],
  }),
];
