import { z } from 'zod';
import { actorSchema, requestInfoSchema } from '../context.js';
import { instant } from '../fields.js';

/** Every action of an audit record. docs/reference/actions.md is generated from it. */
export const actions = {
  'offer.create': 'An offer was made to a customer',
  'offer.read': 'An offer was read',
  'offer.withdraw': 'An offer was withdrawn',
  'offer.expire': 'An offer expired',
  'subject.list': 'Customers were listed',
  'subject.read': 'A customer was read',
  'subject.erase': 'A customer was erased',
  'audit.list': 'The audit log was listed',
  'audit.follow': 'The audit log was followed, for up to an hour',
  'audit.read': 'An event of the audit log was read',
  'audit.prove': 'A checkpoint, proof or tile of the audit log was read',
  'audit.export': 'The audit log was exported',
  'analytics.read': 'Analytics were read',
  'analytics.rebuild': 'Analytics were deleted, and are counted from the audit log again',
  'audit.export.create': 'An export of the audit log was requested',
  'audit.export.list': 'The exports of the audit log were listed',
  'audit.export.read': 'An export of the audit log was read, without its file',
  'audit.export.download': 'The file of an export was downloaded, for up to an hour',
  'audit.export.delete': 'An export of the audit log was canceled, or its file deleted',
  'audit.drop': 'Events whose retention has ended were dropped from the audit log',
  'audit_reader.create': 'A reader of the stream of entries was created: it reads the audit log from now on',
  'audit_reader.list': 'The readers of the stream of entries were listed',
  'audit_reader.rewind': 'A reader of the stream of entries was moved to another place in the log',
  'audit_reader.delete': 'A reader of the stream of entries was deleted',
  'audit_destination.list': 'The destinations of the audit log were listed',
  'audit_destination.read': 'A destination of the audit log was read',
  'audit_destination.create': 'A destination of the audit log was created: entries are sent there from now on',
  'audit_destination.update': 'A destination of the audit log was changed',
  'audit_destination.rotate_secret': 'The secret that signs what is sent to a destination was rotated',
  'audit_destination.pause': 'Sending to a destination of the audit log was paused',
  'audit_destination.resume': 'Sending to a destination of the audit log was resumed',
  'audit_destination.rewind': 'A destination of the audit log was moved to another place in the log',
  'audit_destination.test': 'A test entry was sent to a destination of the audit log',
  'audit_destination.delete': 'A destination of the audit log was deleted',
  'credential.read': 'A credential was read',
  'claim.read': 'A claim link was read',
  'claim.begin': 'A claim began: WebAuthn options were requested',
  'credential.claim': 'A customer claimed a credential',
  'credential.renew': 'A credential was renewed at a sign-in',
  'credential.suspend': 'A credential was suspended',
  'credential.resume': 'A credential was resumed',
  'credential.revoke': 'A credential was revoked',
  'credential.expire': 'A credential expired',
  'credential_type.create': 'A credential type was created',
  'credential_type.update': 'A credential type was changed',
  'presence.challenge': 'A presence challenge was requested',
  'presence.configure': 'The policy of proof of presence was changed',
  'app.list': 'The apps of the organization were listed',
  'app.read': 'An app was read',
  'app.secret.list': 'The client secrets of an app were listed, without their values',
  'credential_type.list': 'The credential types were listed',
  'passkey.count': 'The passkeys of the organization were counted, by RP ID',
  'presence.read': 'The policy of proof of presence was read',
  'key.list': 'The signing keys of the issuer were listed',
  'event.list': 'The events of the organization were listed',
  'customer.sign_in': 'A customer signed in to an app',
  'customer.sign_out': 'A customer signed out',
  'customer.token': 'An app exchanged a code or refresh token of a customer',
  'customer.userinfo': 'An app read the claims of a customer',
  'customer.token_revoke': 'An app revoked a token of a customer',
  'customer.token_introspect': 'An app asked whether a token of a customer is active',
  'key.rotate': 'A signing key of the issuer was rotated',
  'token.issue': 'An access token was requested',
  'organization.create': 'The organization was created',
  'organization.update': 'The RP ID of the organization was changed, or the move from the earlier one was ended',
  'organization.suspend': 'The organization was suspended',
  'organization.resume': 'The organization was resumed',
  'organization.move_begin': 'A move of the organization to another shard was begun',
  'organization.move': 'The organization was moved to another shard, with its log',
  'organization.move_cancel': 'The move of the organization to another shard was cancelled',
  'app.create': 'An app was created',
  'app.update': 'An app was changed',
  'app.disable': 'An app was disabled',
  'app.enable': 'An app was enabled',
  'app.delete': 'An app was deleted, with its grants, client secrets and assignments',
  'app.grant': 'Operations were granted to an app',
  'app.ungrant': 'Operations were revoked from an app',
  'app.secret.create': 'A client secret was created',
  'app.secret.revoke': 'A client secret was revoked',
  'user.list': 'The people of the organization were listed',
  'user.read': 'A person was read',
  'user.invite': 'A person was invited, or got a new link for recovery',
  'user.withdraw_invitation': 'The invitation of a person was withdrawn',
  'user.activate': 'A person accepted an invitation with a passkey, or recovered with a new one',
  'user.update': 'The e-mail address or name of a person was changed',
  'user.deactivate': 'A person was deactivated',
  'user.reactivate': 'A person was reactivated',
  'user.remove': 'A person was removed, and their personal data deleted',
  'user.sign_in': 'A person signed in to an app',
  'user.sign_out': 'A person signed out',
  'user.token': 'An app exchanged a code or refresh token of a person',
  'user.userinfo': 'An app read the claims of a person',
  'user.token_revoke': 'An app revoked a token of a person',
  'user.token_introspect': 'An app asked whether a token of a person is active',
  'invitation.read': 'The link of an invitation was read',
  'invitation.begin': 'A person began to accept an invitation: WebAuthn options were requested',
  'passkey.list': 'The passkeys of a person were listed',
  'passkey.begin': 'A person began to add a passkey: WebAuthn options were requested',
  'passkey.add': 'A passkey was added to a person',
  'passkey.rename': 'A passkey of a person was renamed',
  'passkey.remove': 'A passkey of a person was removed',
  'role.change': 'The roles of a person were changed',
  'group.list': 'The groups of the organization were listed',
  'group.read': 'A group was read',
  'group.create': 'A group was created',
  'group.update': 'The name or description of a group was changed',
  'group.delete': 'A group was deleted',
  'group.member.list': 'The members of a group, or the groups of a person, were listed',
  'group.member.add': 'People were added to a group',
  'group.member.remove': 'People were removed from a group',
  'assignment.list': 'The assignments of an app were listed',
  'assignment.create': 'A person or group was assigned to an app',
  'assignment.end': 'The assignment of a person or group to an app ended',
  'access_request.list': 'Access requests were listed',
  'access_request.read': 'An access request was read',
  'access_request.create': 'A person requested access to an app',
  'access_request.approve': 'An access request was approved',
  'access_request.deny': 'An access request was denied',
  'access_request.withdraw': 'A person withdrew an access request',
  'access_request.expire': 'An access request expired',
  'access_request.cancel': 'A pending access request ended, because its app was deleted',
  'entitlement.list': 'Entitlements were listed: who can reach which app, and by which path',
  'request.denied': 'A request was denied',
} as const;
export type Action = keyof typeof actions;
export const actionNames = Object.keys(actions) as [Action, ...Action[]];

/**
 * How long the entries of a log are kept. Each class has partitions of its own, one per month, which the operator drops
 * when their retention has ended. Their hashes stay, so that the rest of the log still verifies.
 */
export const retentions = {
  reads: { months: 13, description: 'Reads, issued tokens, and denied requests' },
  changes: { months: 84, description: 'Changes, and sign-ins of customers' },
  kept: { months: undefined, description: 'Records that account for absent entries and customers: never dropped' },
} as const satisfies Record<string, { months: number | undefined; description: string }>;
export type Retention = keyof typeof retentions;
export const retentionNames = Object.keys(retentions) as [Retention, ...Retention[]];

/** Reads of the operator at other services than audit. Only those of people name a person. */
export const operatorReads = [
  'app.list',
  'app.read',
  'app.secret.list',
  'credential_type.list',
  'presence.read',
  'passkey.count',
  'key.list',
  'user.list',
  'user.read',
  'passkey.list',
  'group.list',
  'group.read',
  'group.member.list',
  'assignment.list',
  'entitlement.list',
  'access_request.list',
  'access_request.read',
  'audit_destination.list',
  'audit_destination.read',
] as const satisfies Action[];
export type OperatorRead = (typeof operatorReads)[number];

const reads = new Set<Action>([
  ...operatorReads,
  'offer.read',
  'subject.list',
  'subject.read',
  'audit.list',
  'audit.follow',
  'audit.read',
  'audit.prove',
  'audit.export',
  'analytics.read',
  'audit.export.list',
  'audit.export.read',
  'audit_reader.list',
  'credential.read',
  'event.list',
  'claim.read',
  'claim.begin',
  'presence.challenge',
  'customer.userinfo',
  'customer.token',
  'customer.token_introspect',
  'token.issue',
  'user.token_introspect',
  'user.token',
  'user.userinfo',
  'invitation.read',
  'invitation.begin',
  'passkey.begin',
  'group.list',
  'group.read',
  'group.member.list',
  'assignment.list',
  'access_request.list',
  'access_request.read',
  'entitlement.list',
  'request.denied',
]);
const kept = new Set<Action>(['audit.drop', 'subject.erase', 'user.remove']);

/**
 * An action without a class counts as a change, which is kept longer than a read. An action must never move to another
 * class: entries that are in the log keep their class, and verifiers compare it with the action's.
 */
export function retentionOf(action: Action): Retention {
  return kept.has(action) ? 'kept' : reads.has(action) ? 'reads' : 'changes';
}

/**
 * The `changes` of a record of `audit.drop`: class and month of the dropped entries, their number, and their leaf
 * indexes (`places`): the first, the last, and SHA-256 in base64 over all of them, ascending, 8 bytes each, big-endian.
 * A verifier requires that exactly these entries have no bytes. Records of earlier versions have no `places`.
 */
export const droppedSchema = z.strictObject({
  retention: z.strictObject({ to: z.enum(retentionNames) }),
  month: z.strictObject({ to: z.string().regex(/^\d{4}-\d{2}$/) }),
  entries: z.strictObject({ to: z.int().min(1) }),
  places: z
    .strictObject({ to: z.strictObject({ first: z.int().min(1), last: z.int().min(1), sha256: z.base64() }) })
    .optional(),
});
export type Dropped = z.infer<typeof droppedSchema>;

export const outcomes = ['success', 'denied', 'failure'] as const;

/**
 * The object of an action. `dataSubject` says that the id belongs to a customer or person: the log then stores a random
 * pseudonym instead, and an erasure deletes the mapping to the id.
 */
export const auditTargetSchema = z.strictObject({
  type: z
    .enum([
      'customer',
      'credential',
      'offer',
      'person',
      'passkey',
      'group',
      'assignment',
      'access_request',
      'app',
      'secret',
      'organization',
      'audit_event',
      'audit_destination',
      'audit_export',
      'audit_reader',
      'credential_type',
    ])
    .describe('What it is'),
  id: z.string().describe('Which one'),
  dataSubject: z.string().optional().describe('The customer or person to whom the id belongs'),
});
export type AuditTarget = z.infer<typeof auditTargetSchema>;

/** Old and new value of each changed field. Never a secret or a customer's id. */
const changesSchema = z.record(
  z.string(),
  z.strictObject({ from: z.json().optional().describe('Before'), to: z.json().optional().describe('After') }),
);

/** A record as a handler or the gateway writes it, before it is appended to the log. */
export const auditRecordSchema = z.strictObject({
  id: z.uuid().describe('The event'),
  occurredAt: instant.describe('When it happened'),
  action: z.enum(actionNames).describe('What was done; the list may grow'),
  actor: actorSchema.describe('Who did it'),
  targets: z.array(auditTargetSchema).describe('What it was done to'),
  outcome: z
    .strictObject({
      result: z
        .enum(outcomes)
        .describe(
          '`denied`: refused because of who the caller is; `failure`: refused because of what was requested, or an ' +
            'internal error',
        ),
      status: z.int().optional().describe('HTTP status of the response'),
      code: z.string().optional().describe('Error code of the response'),
      count: z.int().optional().describe('How many requests this record stands for'),
      replay: z
        .literal(true)
        .optional()
        .describe('The response is that of an earlier request with the same Idempotency-Key: nothing was done again'),
    })
    .describe('How it ended'),
  request: requestInfoSchema.describe('How it came in'),
  changes: changesSchema.optional().describe('Of each field that changed: before and after. Never a secret'),
});
export type AuditRecord = z.infer<typeof auditRecordSchema>;

const pseudonym = z
  .string()
  .optional()
  .describe('Its pseudonym. The record of an erasure, and every later one, has it as `id`');

/** A record as it is read back. */
export const auditEventSchema = auditRecordSchema
  .extend({
    seq: z.int().describe("Position in the organization's log: 1, 2, 3 … without a gap"),
    request: requestInfoSchema.omit({ callerId: true, callerTraceparent: true }).describe('How it came in'),
    actor: actorSchema.extend({ pseudonym }).describe('Who did it'),
    targets: z
      .array(auditTargetSchema.omit({ dataSubject: true }).extend({ pseudonym }))
      .describe("A customer's ids, or their pseudonyms once the customer is erased"),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof auditEventSchema>;
