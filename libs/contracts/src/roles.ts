import type { AdminOperation, PersonOperation } from './operations.js';

/** Roles of people (product §6). They are given to a person, never to a group or a program. */
export const roleNames = ['owner', 'admin', 'auditor', 'approver', 'support'] as const;
export type Role = (typeof roleNames)[number];

/** Every operation that the Admin API knows. */
export type AnyAdminOperation = AdminOperation | PersonOperation;

/**
 * What each role lets a person do. The table is closed: directory and the token endpoint derive rights from it, and
 * docs/reference/operations.md is generated from it. Only `owner` has billing and the vault.
 */
export const roles: Record<Role, { description: string; operations: readonly AnyAdminOperation[] }> = {
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
      'billing:manage',
      'vault:manage',
    ],
  },
  admin: {
    // Without audit:export, which is no boundary: an admin may grant it to a service app (docs/people.md).
    description: 'People, groups, apps and grants; gives every role but owner',
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
    ],
  },
  approver: {
    description: 'Decides access requests',
    operations: ['users:read', 'access_requests:read', 'access_requests:approve', 'entitlements:view'],
  },
  support: {
    description: 'Looks up people and what they can reach',
    operations: ['users:read', 'access_requests:read', 'entitlements:view'],
  },
};

/** The operations of a person with these roles, sorted. Every active person manages their own account. */
export function operationsOf(given: readonly Role[]): AnyAdminOperation[] {
  return [...new Set<AnyAdminOperation>(['account:manage', ...given.flatMap((role) => roles[role].operations)])].sort();
}
