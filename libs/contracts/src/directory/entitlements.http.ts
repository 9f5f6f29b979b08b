import { clientIdExample, groupIdExample, userIdExample } from '../http/example-ids.js';
import { http } from '../http/forwarded.js';
import { appTarget, groupTarget, personTarget } from '../http/targets.js';
import { clientIdParameter } from './apps-admin.js';
import { assignmentExample } from './assignments.http.js';
import { listEntitlements, type Entitlement } from './entitlements.js';

const { user, group } = listEntitlements.request.shape;

const example: Entitlement = {
  user: userIdExample,
  app: clientIdExample,
  path: 'group',
  assignment: assignmentExample.id,
  group: groupIdExample,
  since: '2026-11-21T09:41:12.345Z',
};

export const entitlementEndpoints = [
  http(listEntitlements, {
    id: 'listEntitlements',
    method: 'GET',
    path: '/o/{shortId}/api/admin/entitlements',
    tag: 'Admin API: entitlements',
    summary: 'List entitlements',
    description:
      'Who can use which app now, with one item for each path: a person who is assigned directly and through two ' +
      'groups has three items. Sign-in follows the same rule, so people who are not active, disabled apps and ' +
      'assignments that have expired are not in it. A filter that names nothing matches nothing.',
    operation: 'entitlements:view',
    action: 'entitlement.list',
    query: { user, app: clientIdParameter.optional().describe('Only who can use this app'), group },
    response: 'A page of entitlements',
    page: 'EntitlementPage',
    order: 'Newest assignment first; people of one group together',
    example,
    targets: ({ query }) => [
      ...(query.user === undefined ? [] : [personTarget(query.user)]),
      ...(query.app === undefined ? [] : [appTarget(query.app)]),
      ...(query.group === undefined ? [] : [groupTarget(query.group)]),
    ],
  }),
];
