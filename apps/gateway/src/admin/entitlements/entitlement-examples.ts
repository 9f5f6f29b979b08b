import type { Assignment, Entitlement } from '@holdfast/contracts';
import { groupId, userId } from '../groups/group-requests.js';

export const clientId = 'app_Ab3dE6gH9jK2mN5pQ8sT1v';

export const assignmentExample: Assignment = {
  id: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
  app: clientId,
  group: groupId,
  createdAt: '2026-11-21T09:30:00.000Z',
};

export const entitlementExample: Entitlement = {
  user: userId,
  app: clientId,
  path: 'group',
  assignment: assignmentExample.id,
  group: groupId,
  since: '2026-11-21T09:41:12.345Z',
};
