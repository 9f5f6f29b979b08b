const caep = 'https://schemas.openid.net/secevent/caep/event-type';
const risc = 'https://schemas.openid.net/secevent/risc/event-type';
const ssf = 'https://schemas.openid.net/secevent/ssf/event-type';

/**
 * The security events that streams carry (CAEP 1.0, RISC 1.0), by name, with the audiences of the receivers that get
 * them. docs/reference/security-events.md is generated from it.
 */
export const securityEvents = {
  'credential-change': {
    uri: `${caep}/credential-change`,
    audiences: ['customers'],
    description:
      'A credential was claimed, renewed, moved to another passkey, suspended, resumed or revoked, got or lost a ' +
      'passkey, or expired',
  },
  'session-revoked': {
    uri: `${caep}/session-revoked`,
    audiences: ['customers', 'people'],
    description:
      'Sessions of the subject have ended, because what opened them is not valid any more: those of one passkey that ' +
      'was removed, or else every one',
  },
  'token-claims-change': {
    uri: `${caep}/token-claims-change`,
    audiences: ['customers', 'people'],
    description: 'The claim `credential` of a customer was renewed, or the roles of a person changed',
  },
  'account-disabled': {
    uri: `${risc}/account-disabled`,
    audiences: ['customers', 'people'],
    description: 'A customer has no live credential any more, or a person was deactivated',
  },
  'account-enabled': {
    uri: `${risc}/account-enabled`,
    audiences: ['customers', 'people'],
    description: 'A customer has a live credential again, or a person was reactivated',
  },
  'account-purged': {
    uri: `${risc}/account-purged`,
    audiences: ['customers', 'people'],
    description: 'A customer was erased, or a person removed. Nothing about them follows',
  },
  'credential-compromise': {
    uri: `${risc}/credential-compromise`,
    audiences: ['customers'],
    description: 'A credential was revoked with the reason `compromised`',
  },
  'recovery-activated': {
    uri: `${risc}/recovery-activated`,
    audiences: ['customers'],
    description: 'A customer who holds a credential already got an offer for it: they move it to another passkey',
  },
} as const satisfies Record<string, SecurityEventDefinition>;

interface SecurityEventDefinition {
  uri: string;
  audiences: readonly StreamAudience[];
  description: string;
}
/** Whose changes a receiver receives. */
export type StreamAudience = 'customers' | 'people';
export type SecurityEventName = keyof typeof securityEvents;

/** What a transmitter says about a stream itself (SSF 1.0 §8.1.4, §8.1.5). Never part of `events_delivered`. */
export const streamEvents = {
  verification: `${ssf}/verification`,
  updated: `${ssf}/stream-updated`,
} as const;

/** URIs of the events that receivers of this audience may get, in the order of the catalogue. */
export function eventUrisFor(audience: StreamAudience): string[] {
  return Object.values<SecurityEventDefinition>(securityEvents)
    .filter(({ audiences }) => audiences.includes(audience))
    .map(({ uri }) => uri);
}
