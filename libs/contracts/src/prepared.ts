/**
 * What callers of the API prepare: things that act later, without the caller who prepared them (ADR 0074). None of them
 * acts when its maker could not prepare it any more, or when its target has gained rights. The service that owns a kind
 * has a row for it in its test, which tries every way in which a right ends; directory's is the first with that form.
 */
export const preparedKinds = {
  link: {
    commands: ['directory.invite-person', 'directory.reissue-invitation'],
    makers: ['person'],
    test: 'apps/directory/src/prepared.int.spec.ts',
  },
  app: {
    commands: ['directory.admin-create-app', 'directory.admin-update-app', 'directory.admin-disable-app'],
    makers: ['app'],
    test: 'apps/directory/src/prepared.int.spec.ts',
  },
  clientSecret: {
    commands: ['directory.admin-create-app', 'directory.admin-create-secret'],
    makers: ['app'],
    test: 'apps/directory/src/prepared.int.spec.ts',
  },
  accessRequest: {
    commands: ['directory.create-access-request'],
    makers: ['person'],
    test: 'apps/directory/src/prepared.int.spec.ts',
  },
  passkeyCeremony: {
    commands: ['directory.begin-passkey-addition'],
    makers: ['person'],
    test: 'apps/directory/src/prepared.int.spec.ts',
  },
  offer: {
    commands: ['issuance.create-offer'],
    makers: ['app', 'person'],
    test: 'apps/issuance/src/offers/ended-rights/ended-rights.int.spec.ts',
  },
  auditExport: {
    commands: ['audit.create-export'],
    makers: ['app', 'person'],
    test: 'apps/audit/src/exports/exports.int.spec.ts',
  },
  auditDestination: {
    commands: [
      'signals.create-audit-destination',
      'signals.update-audit-destination',
      'signals.rotate-destination-secret',
      'signals.rewind-audit-destination',
    ],
    makers: ['app', 'person'],
    test: 'apps/signals/src/audit-destinations/makers.int.spec.ts',
  },
  webhookEndpoint: {
    commands: [
      'signals.create-webhook-endpoint',
      'signals.update-webhook-endpoint',
      'signals.resume-webhook-endpoint',
      'signals.rotate-webhook-secret',
      'signals.resend-webhook-message',
      'signals.recover-webhook-endpoint',
    ],
    makers: ['app', 'person'],
    test: 'apps/signals/src/webhooks/makers.int.spec.ts',
  },
  stream: {
    commands: [
      'signals.create-stream',
      'signals.update-stream',
      'signals.resume-stream',
      'signals.create-own-stream',
      'signals.update-own-stream',
      'signals.set-own-stream-status',
      'signals.change-stream-subject',
      'signals.resend-stream-tokens',
    ],
    makers: ['app', 'person'],
    test: 'apps/signals/src/ssf/stream-makers.int.spec.ts',
  },
} as const satisfies Record<string, PreparedKind>;

interface PreparedKind {
  /** Subjects of the contracts, without `rpc.`. */
  commands: readonly string[];
  /** Who prepares it and then may lose the right. What people and the operator decide about others stays (ADR 0074). */
  makers: readonly ('person' | 'app')[];
  /** The file whose tests try each change. */
  test: string;
}
export type PreparedKindName = keyof typeof preparedKinds;

/** Each way in which the right to prepare something ends, by who prepared it. */
const rightChanges = {
  person: ['the person loses the role', 'the person is deactivated', 'the person is removed'],
  app: ['the grant is removed', 'the app is disabled', 'the app is deleted'],
  both: ['the organization is suspended', 'the target gains rights'],
} as const;
export type RightChange = (typeof rightChanges)[keyof typeof rightChanges][number];

/** The changes that the test of a kind tries. */
export function rightChangesOf(kind: PreparedKindName): RightChange[] {
  const { makers }: PreparedKind = preparedKinds[kind];
  return [...makers.flatMap((maker): RightChange[] => [...rightChanges[maker]]), ...rightChanges.both];
}

/** Every other command that a gateway or auth sends for a caller, by why it prepares nothing. */
export const preparesNothing: Record<string, readonly string[]> = {
  'a decision about others or about what the organization owns, which stays until somebody changes it': [
    'directory.admin-change-grants',
    'directory.admin-update-organization',
    'directory.admin-change-rp-id',
    'directory.admin-end-rp-id-move',
    'auth.admin-rotate-keys',
    'directory.update-person',
    'directory.set-person-active',
    'directory.change-roles',
    'directory.create-group',
    'directory.update-group',
    'directory.add-group-members',
    'directory.assign',
    'directory.approve-access-request',
    'directory.deny-access-request',
    'directory.rename-person-passkey',
    'issuance.create-credential-type',
    'issuance.update-credential-type',
    'issuance.set-presence-policy',
    'issuance.suspend-credential',
    'signals.update-transmitter-settings',
    'issuance.resume-credential',
  ],
  'it only ends something': [
    'directory.admin-delete-app',
    'directory.admin-revoke-secret',
    'directory.withdraw-invitation',
    'directory.remove-person',
    'directory.delete-group',
    'directory.remove-group-members',
    'directory.unassign',
    'directory.withdraw-access-request',
    'directory.remove-person-passkey',
    'issuance.revoke-credential',
    'issuance.withdraw-offer',
    'issuance.admin-withdraw-offer',
    'issuance.erase-subject',
    'audit.delete-export',
    'auth.end-hub-session',
    'auth.end-account-session',
    'auth.end-customer-sessions',
    'auth.end-own-sessions',
    'auth.end-person-sessions',
    'issuance.remove-customer-passkey',
    'issuance.end-passkey-link',
    'signals.pause-audit-destination',
    'signals.delete-audit-destination',
    'signals.pause-webhook-endpoint',
    'signals.delete-webhook-endpoint',
    'signals.pause-stream',
    'signals.delete-stream',
    'signals.delete-own-stream',
  ],
  'a step of a ceremony: it checks link, status and assignment again, and ends with them': [
    'directory.begin-person-sign-in',
    'directory.complete-person-sign-in',
    'directory.begin-invitation',
    'directory.complete-invitation',
    'directory.complete-passkey-addition',
    'issuance.begin-claim',
    'issuance.complete-claim',
    'issuance.begin-sign-in',
    'issuance.complete-sign-in',
    'issuance.begin-customer-passkey',
    'issuance.add-customer-passkey',
    'issuance.rename-customer-passkey',
    'issuance.create-passkey-link',
    'issuance.confirm-passkey-link',
    'issuance.begin-linked-passkey',
    'issuance.complete-linked-passkey',
  ],
  'part of the platform, and no caller chooses what it does': [
    'directory.renew-secret-hash',
    'audit.append-records',
    'audit.count-denied-requests',
    'audit.record-operator-read',
    'auth.use-proof',
    'issuance.quarantine-event',
    'directory.quarantine-event',
  ],
  'a session, which follows status and roles of the person at each request': ['auth.create-hub-session'],
  'a session of ten minutes, which ends with the passkey that signed in': ['auth.create-account-session'],
  'it reads once': ['audit.open-export-file', 'signals.test-audit-destination'],
  'it acts once, on what is there': [
    'signals.test-webhook-endpoint',
    'signals.rotate-webhook-key',
    'signals.verify-stream',
  ],
};
