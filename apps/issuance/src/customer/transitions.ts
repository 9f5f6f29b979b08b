import type { CredentialStatus, ErrorCode } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

/** What happens to a credential in its life (product §5, "States"). */
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

/** Where a credential can be; `none` before its first offer. Its end is derived from time and is none of these. */
export type Stage = 'none' | CredentialStatus;

/** All that the rules look at. */
export interface CredentialState {
  stage: Stage;
  revocable: boolean;
  /**
   * The newest offer that nobody has claimed or taken back. One that ran out can still be withdrawn, but not claimed.
   */
  offer: 'none' | 'open' | 'expired';
  /** Past its end. */
  ended: boolean;
}

interface Guard {
  /** As the diagram says it. */
  says: string;
  holds(state: CredentialState): boolean;
  code: ErrorCode;
  detail: string;
}

const revocable: Guard = {
  says: 'revocable',
  holds: (s) => s.revocable,
  code: 'not_revocable',
  detail:
    'The credential was issued as not revocable: it can be neither suspended nor revoked, and ends when it expires.',
};
const unclaimed: Guard = {
  says: 'open offer',
  holds: (s) => s.offer !== 'none',
  code: 'invalid_state',
  detail: 'The credential has no open offer.',
};
const claimable: Guard = {
  says: 'open offer, in time',
  holds: (s) => s.offer === 'open',
  code: 'invalid_state',
  detail: 'The credential has no open offer.',
};
const running: Guard = {
  says: 'before its end',
  holds: (s) => !s.ended,
  code: 'invalid_state',
  detail: 'The credential has ended; it can be offered again.',
};
const ended: Guard = {
  says: 'at its end',
  holds: (s) => s.ended,
  code: 'invalid_state',
  detail: 'The credential has not ended.',
};

interface Move {
  to: CredentialStatus;
  guard?: Guard;
}

/**
 * The whole life of a credential; what is not here is refused. Three decisions stand in it. What the organization may
 * do does not depend on the end: a credential that has ended can be suspended, revoked and offered again; only renewal
 * comes too late. `revocable` guards what somebody holds: an offer can always be taken back. And an offer never leads
 * out of a suspension.
 */
export const life: Record<TransitionName, Partial<Record<Stage, Move>>> = {
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
  renew: { issued: { to: 'issued', guard: running } },
  rekey: { issued: { to: 'issued', guard: claimable } },
  expire: { issued: { to: 'issued', guard: ended }, suspended: { to: 'suspended', guard: ended } },
};

export type Decision = { to: CredentialStatus } | { refused: ErrorCode; detail: string };

/** Where an act leads, or why it is refused. */
export function decide(act: TransitionName, state: CredentialState): Decision {
  const move = life[act][state.stage];
  if (!move) return { refused: 'invalid_state', detail: `The credential is ${state.stage}.` };
  const { to, guard } = move;
  return guard && !guard.holds(state) ? { refused: guard.code, detail: guard.detail } : { to };
}

/** Where an act leads. @throws AppError */
export function next(act: TransitionName, state: CredentialState): CredentialStatus {
  const decision = decide(act, state);
  if ('refused' in decision) throw new AppError(decision.refused, decision.detail);
  return decision.to;
}

/** The table as a Mermaid state diagram, for docs/reference/credential-states.md. */
export function diagram(): string {
  const edges = new Map<string, string[]>();
  for (const act of transitions) {
    for (const [from, { to, guard }] of Object.entries(life[act])) {
      const edge = `${from === 'none' ? '[*]' : from} --> ${to}`;
      edges.set(edge, [...(edges.get(edge) ?? []), guard ? `${act} [${guard.says}]` : act]);
    }
  }
  return [
    'stateDiagram-v2',
    ...[...edges].map(([edge, labels]) => `  ${edge} : ${labels.join('<br/>')}`),
    '  revoked --> [*]',
  ].join('\n');
}
