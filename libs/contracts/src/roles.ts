import type { AdminOperation, CustomerScope, PersonOperation } from './operations.js';

/** Roles of people (product §6). They are given to a person, never to a group or a program. */
export const roleNames = ['owner', 'admin', 'auditor', 'approver', 'support'] as const;
export type Role = (typeof roleNames)[number];

/** Every operation that a person can have by a role. */
export type RoleOperation = CustomerScope | AdminOperation | PersonOperation;

/**
 * What each role lets a person do. The table is closed: directory and the token endpoint derive rights from it, and
 * docs/reference/operations.md is generated from it. Only `owner` has billing and the vault.
 */
export const roles: Record<Role, { description: string; operations: readonly RoleOperation[] }> = {
  owner: {
    description: 'Everything, including who else is an owner',
    operations: [
      'users:read',
      'users:manage',
      'roles:manage',
      'grants:manage',
      'groups:manage',
      'apps:manage',
      'audit:read',
      'audit:export',
      'analytics:read',
      'access_requests:read',
      'access_requests:approve',
      'entitlements:view',
      'webhooks:manage',
      'ssf:manage',
      'organization:manage',
      'offers:write',
      'issued:read',
      'issued:manage',
      'customers:support',
      'customers:history',
      'apps:read',
      'billing:manage',
      'vault:manage',
    ],
  },
  admin: {
    // Without audit:export, which is no boundary: an admin may grant it to a service app (docs/people.md).
    description: 'People, groups, apps, grants and customers; gives every role but owner',
    operations: [
      'users:read',
      'users:manage',
      'roles:manage',
      'grants:manage',
      'groups:manage',
      'apps:manage',
      'audit:read',
      'analytics:read',
      'access_requests:read',
      'access_requests:approve',
      'entitlements:view',
      'webhooks:manage',
      'ssf:manage',
      'organization:manage',
      'offers:write',
      'issued:read',
      'issued:manage',
      'customers:support',
      'customers:history',
      'apps:read',
    ],
  },
  auditor: {
    description: 'Reads everything, changes nothing',
    operations: [
      'users:read',
      'audit:read',
      'audit:export',
      'analytics:read',
      'access_requests:read',
      'entitlements:view',
      'issued:read',
      'customers:history',
      'apps:read',
    ],
  },
  approver: {
    description: 'Decides access requests',
    operations: ['users:read', 'access_requests:read', 'access_requests:approve', 'entitlements:view', 'apps:read'],
  },
  support: {
    description: 'Helps customers, and looks up people and what they can reach',
    operations: [
      'users:read',
      'access_requests:read',
      'entitlements:view',
      'offers:write',
      'issued:read',
      'customers:support',
      'customers:history',
      'apps:read',
    ],
  },
};

/** The operations of a person with these roles, sorted. Every active person manages their own account. */
export function operationsOf(given: readonly Role[]): RoleOperation[] {
  return [...new Set<RoleOperation>(['account:manage', ...given.flatMap((role) => roles[role].operations)])].sort();
}
