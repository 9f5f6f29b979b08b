import type { CredentialStatus, ErrorCode } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { isExpired, isOfferExpired, type Customer, type CustomerCredential } from './customer.js';

/** What happens to a credential (product §5, "States"). */
export const transitions = [
  'offer',
  'claim',
  'withdraw',
  'suspend',
  'resume',
  'revoke',
  'renew',
  'rekey',
  'expire',
] as const;
export type TransitionName = (typeof transitions)[number];

/** The status of a credential; `none` before its first offer. Expiration is derived from time and is no status. */
export type Stage = 'none' | CredentialStatus;

/** Everything that decides on a transition. */
export interface CredentialState {
  stage: Stage;
  revocable: boolean;
  /** The newest offer that is neither claimed nor withdrawn. An expired one can be withdrawn, but not claimed. */
  offer: 'none' | 'open' | 'expired';
  /** The credential has expired. */
  expired: boolean;
}

/** The state of a credential at `now`. Without a credential, the state before its first offer. */
export function credentialStateOf(
  { offers }: Customer,
  credential: CustomerCredential | undefined,
  now: Date,
): CredentialState {
  if (!credential) return { stage: 'none', revocable: true, offer: 'none', expired: false };
  const open = offers.find((o) => o.credentialId === credential.id && o.status === 'open');
  return {
    stage: credential.status,
    revocable: credential.revocable,
    offer: open ? (isOfferExpired(open, now) ? 'expired' : 'open') : 'none',
    expired: isExpired(credential, now),
  };
}

interface Guard {
  /** The guard's name in the diagram. */
  label: string;
  holds(state: CredentialState): boolean;
  code: ErrorCode;
  detail: string;
}

const revocable: Guard = {
  label: 'revocable',
  holds: (s) => s.revocable,
  code: 'not_revocable',
  detail:
    'The credential was issued as not revocable: it can be neither suspended nor revoked, and ends when it expires.',
};
const unclaimed: Guard = {
  label: 'open offer',
  holds: (s) => s.offer !== 'none',
  code: 'invalid_state',
  detail: 'The credential has no open offer.',
};
const claimable: Guard = {
  label: 'open offer, not expired',
  holds: (s) => s.offer === 'open',
  code: 'invalid_state',
  detail: 'The credential has no open offer.',
};
const unexpired: Guard = {
  label: 'not expired',
  holds: (s) => !s.expired,
  code: 'invalid_state',
  detail: 'The credential has expired; it can be offered again.',
};
const expired: Guard = {
  label: 'expired',
  holds: (s) => s.expired,
  code: 'invalid_state',
  detail: 'The credential has not expired.',
};

interface Transition {
  to: CredentialStatus;
  guard?: Guard;
}

/**
 * Every transition of a credential; what is not in the table is denied. Three decisions (product §5): what the
 * organization may do does not depend on the expiration, so an expired credential can be suspended, revoked and offered
 * again, but not renewed; `revocable` guards a credential that a customer holds, so an offer can always be withdrawn;
 * and an offer never leads out of a suspension.
 */
const transitionTable: Record<TransitionName, Partial<Record<Stage, Transition>>> = {
  offer: { none: { to: 'offered' }, offered: { to: 'offered' }, issued: { to: 'issued' } },
  claim: { offered: { to: 'issued', guard: claimable } },
  withdraw: { offered: { to: 'revoked', guard: unclaimed }, issued: { to: 'issued', guard: unclaimed } },
  suspend: { issued: { to: 'suspended', guard: revocable } },
  resume: { suspended: { to: 'issued' } },
  revoke: {
    offered: { to: 'revoked' },
    issued: { to: 'revoked', guard: revocable },
    suspended: { to: 'revoked', guard: revocable },
  },
  renew: { issued: { to: 'issued', guard: unexpired } },
  rekey: { issued: { to: 'issued', guard: claimable } },
  expire: { issued: { to: 'issued', guard: expired }, suspended: { to: 'suspended', guard: expired } },
};

export type Decision = { to: CredentialStatus } | { denied: ErrorCode; detail: string };

/** The status after a transition, or why the transition is denied. */
export function decide(name: TransitionName, state: CredentialState): Decision {
  const transition = transitionTable[name][state.stage];
  if (!transition) return { denied: 'invalid_state', detail: `The credential is ${state.stage}.` };
  const { to, guard } = transition;
  return guard && !guard.holds(state) ? { denied: guard.code, detail: guard.detail } : { to };
}

/** The status after a transition. @throws AppError when it is denied */
export function next(name: TransitionName, state: CredentialState): CredentialStatus {
  const decision = decide(name, state);
  if ('denied' in decision) throw new AppError(decision.denied, decision.detail);
  return decision.to;
}

/** The table as a Mermaid state diagram, for docs/reference/credential-states.md. */
export function diagram(): string {
  const edges = new Map<string, string[]>();
  for (const name of transitions) {
    for (const [from, { to, guard }] of Object.entries(transitionTable[name])) {
      const edge = `${from === 'none' ? '[*]' : from} --> ${to}`;
      edges.set(edge, [...(edges.get(edge) ?? []), guard ? `${name} [${guard.label}]` : name]);
    }
  }
  return [
    'stateDiagram-v2',
    ...[...edges].map(([edge, labels]) => `  ${edge} : ${labels.join('<br/>')}`),
    '  revoked --> [*]',
  ].join('\n');
}
