import { securityEvents, type SecurityEventName, type StreamAudience } from '@holdfast/contracts';
import type { EventCause } from '../feed/public-event.js';

/** What is known of an event of the feed. */
export interface FeedEvent {
  type: string;
  occurredAt: Date;
  data?: unknown;
  cause?: EventCause | undefined;
}

/** A security event that follows from an event of the feed, in the order of `part`. */
export interface SecurityEvent {
  part: number;
  audience: StreamAudience;
  /** URI of the event. */
  uri: string;
  /** Id of the customer or person. */
  subject: string;
  /** Claims of its token besides `jti`, `aud`, `iss` and `iat`. */
  claims: { toe: number; sub_id: Record<string, string>; events: Record<string, Record<string, unknown>> };
}

type Data = Partial<Record<'subject' | 'user' | 'credentialId' | 'credentialType' | 'expiresAt', string>> & {
  roles?: string[];
};
type Members = Record<string, unknown>;
type Planned = [SecurityEventName, Members?];

/** Who caused it, by the words of CAEP 1.0 §2. */
const initiators: Record<NonNullable<EventCause['actor']>, string> = {
  app: 'admin',
  operator: 'admin',
  person: 'admin',
  system: 'policy',
  customer: 'user',
  anonymous: 'user',
};

/** In English, since the interoperability profile demands a reason of CAEP events. */
const reasons: Record<string, string> = {
  'credential.issued': 'The customer claimed a credential',
  'credential.renewed': 'The credential was renewed',
  'credential.rekeyed': 'The customer moved the credential to another passkey',
  'credential.passkey_added': 'The customer added a passkey to the credential',
  'credential.passkey_removed': 'The customer removed a passkey of the credential',
  'credential.suspended': 'The credential was suspended',
  'credential.resumed': 'The credential was resumed',
  'credential.revoked': 'The credential was revoked',
  'credential.expired': 'The credential expired',
  'subject.erased': 'The customer was erased',
  'user.deactivated': 'The person was deactivated',
  'user.removed': 'The person was removed',
  'role.changed': 'The roles of the person changed',
};

/**
 * The security events of an event of the feed (docs/shared-signals.md has the table). None for most types: receivers
 * get what may end a session or an account, and not what is offered.
 *
 * @param issuer issuer of the organization: `iss` of its subjects
 */
export function securityEventsOf(event: FeedEvent, issuer: string): SecurityEvent[] {
  const data = (event.data ?? {}) as Data;
  const audience: StreamAudience = data.user === undefined ? 'customers' : 'people';
  const subject = data.subject ?? data.user;
  if (subject === undefined) return [];
  return plan(event, data).map(([name, members = {}], part) => {
    const { uri } = securityEvents[name];
    const isOfCaep = uri.includes('/caep/');
    return {
      part,
      audience,
      uri,
      subject,
      claims: {
        toe: secondsOf(event.occurredAt),
        sub_id: { format: 'iss_sub', iss: issuer, sub: subject },
        events: { [uri]: { ...(isOfCaep && caepMembers(event)), ...members } },
      },
    };
  });
}

function plan({ type, cause = {} }: FeedEvent, data: Data): Planned[] {
  const change = (changeType: string): Planned => [
    'credential-change',
    { ...credentialOf(data), change_type: changeType },
  ];
  /** Of a customer who has no live credential any more. */
  const disabled = (members?: Members): Planned[] => (cause.live === 0 ? [['account-disabled', members]] : []);
  switch (type) {
    case 'offer.created':
      return cause.recovers ? [['recovery-activated']] : [];
    case 'credential.issued':
      return [change('create')];
    case 'credential.renewed':
      return [change('update'), ['token-claims-change', { claims: { credential: claimOf(data) } }]];
    case 'credential.rekeyed':
      return [['session-revoked'], change('create')];
    case 'credential.passkey_added':
      return [change('update')];
    case 'credential.passkey_removed':
      return [change('update'), ['session-revoked']];
    case 'credential.suspended':
      return [change('update'), ['session-revoked'], ...disabled()];
    case 'credential.resumed':
      return [...(cause.live === 1 ? ([['account-enabled']] as Planned[]) : []), change('update')];
    case 'credential.revoked':
      return cause.compromised
        ? [
            ['credential-compromise', { ...credentialOf(data) }],
            change('revoke'),
            ['session-revoked'],
            ...disabled({ reason: 'hijacking' }),
          ]
        : [change('revoke'), ['session-revoked'], ...disabled()];
    case 'credential.expired':
      return [change('delete'), ['session-revoked'], ...disabled()];
    case 'subject.erased':
    case 'user.removed':
      return [['session-revoked'], ['account-purged']];
    case 'user.deactivated':
      return [['session-revoked'], ['account-disabled']];
    case 'user.reactivated':
      return [['account-enabled']];
    case 'role.changed':
      return [['token-claims-change', { claims: { roles: data.roles ?? [] } }]];
    default:
      return [];
  }
}

/** Only the customer can cause them. */
const ofUser = new Set([
  'credential.issued',
  'credential.rekeyed',
  'credential.passkey_added',
  'credential.passkey_removed',
]);

function caepMembers({ type, occurredAt, cause = {} }: FeedEvent): Members {
  return {
    event_timestamp: secondsOf(occurredAt),
    initiating_entity: ofUser.has(type)
      ? 'user'
      : type === 'credential.renewed'
        ? 'system'
        : initiators[cause.actor ?? 'system'],
    reason_admin: { en: reasons[type] },
  };
}

/**
 * Customers hold credentials with passkeys, which platforms keep (`fido2-platform`); the name of the credential's type
 * says which of them it is.
 */
function credentialOf({ credentialType }: Data): Members {
  return { credential_type: 'fido2-platform', ...(credentialType !== undefined && { friendly_name: credentialType }) };
}

/** As the claim `credential` of an ID token names it. */
function claimOf({ credentialId, credentialType, expiresAt }: Data): Members {
  return { id: credentialId, type: credentialType, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
