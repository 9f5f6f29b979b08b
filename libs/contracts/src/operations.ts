/** The operations that may be granted to a program (specification §5). No operation implies another. */
export const customerScopes = {
  'offers:write': 'Create an offer',
  'issued:read': 'List subjects, get a subject or a credential',
  'issued:manage': 'Erase a subject, re-offer to a known one, suspend, resume and revoke a credential',
} as const;

export const adminOperations = {
  'users:read': 'Read people',
  'groups:manage': 'Manage groups and their members',
  'apps:manage': 'Manage apps and assignments',
  'audit:read': 'Read the audit log',
  'audit:export': 'Export the audit log',
  'analytics:read': 'Read analytics',
  'access_requests:read': 'Read access requests',
  'access_requests:approve': 'Approve access requests',
  'entitlements:view': 'View entitlements',
  'webhooks:manage': 'Manage webhooks',
  'ssf:manage': 'Manage Shared Signals receivers and streams',
} as const;

/** For people only: they cannot be granted to a program (specification §5). People have them through their roles. */
export const personOperations = {
  'account:manage': "Manage one's own passkeys, and request access to apps",
  'users:manage': 'Invite, change, deactivate and remove people',
  'roles:manage': 'Give roles to people, and take them',
  'grants:manage': 'Create service apps, and change grants, secrets and URIs of apps that hold grants',
  'organization:manage':
    'Change the organization: its name, pages, credential types, proof of presence, RP ID and signing keys',
  'apps:read': 'Read apps, without their secrets',
  'customers:history': 'Read what happened to a customer, from the audit log',
  'customers:support': 'Offer again to a known customer, suspend and resume a credential, and sign a customer out',
  'billing:manage': 'Manage billing',
  'vault:manage': 'Manage the vault',
} as const;
export type PersonOperation = keyof typeof personOperations;
export const neverGrantable = Object.keys(personOperations) as [PersonOperation, ...PersonOperation[]];

/**
 * Scopes of receivers of Shared Signals (CAEP Interoperability Profile 1.0, "OAuth scopes"). Nobody grants them: each
 * app of the kind `receiver` has them, for its own streams.
 */
export const receiverScopes = {
  'ssf.read': 'Read its own streams and their status, and poll',
  'ssf.manage': 'Make and change its own streams, and poll',
} as const;
export type ReceiverScope = keyof typeof receiverScopes;
export const receiverScopeNames = Object.keys(receiverScopes) as [ReceiverScope, ...ReceiverScope[]];

export type CustomerScope = keyof typeof customerScopes;
export type AdminOperation = keyof typeof adminOperations;
/** An operation that can be granted to a program. */
export type Operation = CustomerScope | AdminOperation;

export const operations = { ...customerScopes, ...adminOperations } as const;
export const operationNames = Object.keys(operations) as [Operation, ...Operation[]];

/** Every scope that an access token of the platform can have. */
export const tokenScopes: readonly string[] = [...operationNames, ...receiverScopeNames];

export const appKinds = ['web', 'spa', 'native', 'service', 'receiver'] as const;
export type AppKind = (typeof appKinds)[number];

/** Whether apps of this kind act for themselves, and sign nobody in. */
export function isProgram(kind: AppKind): boolean {
  return kind === 'service' || kind === 'receiver';
}

/** The scopes that every app of this kind has without a grant. */
export function scopesOfKind(kind: AppKind): readonly ReceiverScope[] {
  return kind === 'receiver' ? receiverScopeNames : [];
}

/**
 * Operations that an app of this kind may be granted: customer scopes for confidential apps, the Admin API for service
 * apps only. Public clients (`spa`, `native`) cannot keep a secret and get none; neither does a receiver.
 */
export function grantable(kind: AppKind): readonly Operation[] {
  const customer = Object.keys(customerScopes) as CustomerScope[];
  if (kind === 'web') return customer;
  if (kind === 'service') return operationNames;
  return [];
}
