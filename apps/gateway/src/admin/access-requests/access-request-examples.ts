import type { AccessRequest } from '@holdfast/contracts';
import { clientId } from '../entitlements/entitlement-examples.js';
import { userId } from '../groups/group-requests.js';

export const accessRequestExample: AccessRequest = {
  id: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a02',
  user: userId,
  app: clientId,
  reason: 'On call this week',
  status: 'pending',
  durationSeconds: 604_800,
  createdAt: '2026-11-21T09:30:00.000Z',
  expiresAt: '2026-12-05T09:30:00.000Z',
};

export const approvedExample: AccessRequest = {
  ...accessRequestExample,
  status: 'approved',
  grantedSeconds: 86_400,
  assignment: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a03',
  decidedAt: '2026-11-21T09:41:12.345Z',
  decidedBy: { type: 'app', id: clientId },
};

export const deniedExample: AccessRequest = {
  ...accessRequestExample,
  status: 'denied',
  decidedAt: '2026-11-21T09:41:12.345Z',
  decidedBy: { type: 'app', id: clientId },
  decisionReason: 'Ask the owner of the app first',
};
