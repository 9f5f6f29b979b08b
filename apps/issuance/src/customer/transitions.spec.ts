import { describe, expect, it } from '@jest/globals';
import { AppError } from '@holdfast/platform';
import {
  decide,
  diagram,
  next,
  transitions,
  type CredentialState,
  type Decision,
  type TransitionName,
} from './transitions.js';

const stages = ['none', 'offered', 'issued', 'suspended', 'revoked'] as const;
const offers = ['none', 'open', 'expired'] as const;
const every: CredentialState[] = stages.flatMap((stage) =>
  offers.flatMap((offer) =>
    [true, false].flatMap((revocable) => [true, false].map((ended) => ({ stage, offer, revocable, ended }))),
  ),
);

/**
 * Product §5 once more, the other way round: for each act, where it is allowed and to where it leads. A word after the
 * stage is what else must hold.
 */
const allowed: Record<TransitionName, string[]> = {
  offer: ['none > offered', 'offered > offered', 'issued > issued'],
  claim: ['offered open > issued'],
  withdraw: [
    'offered open > revoked',
    'offered isOfferExpired > revoked',
    'issued open > issued',
    'issued isOfferExpired > issued',
  ],
  suspend: ['issued revocable > suspended'],
  resume: ['suspended > issued'],
  revoke: ['offered > revoked', 'issued revocable > revoked', 'suspended revocable > revoked'],
  renew: ['issued running > issued'],
  rekey: ['issued open > issued'],
  expire: ['issued ended > issued', 'suspended ended > suspended'],
};

function expected(
  act: TransitionName,
  { stage, offer, revocable, ended }: CredentialState,
): Decision | 'not_revocable' | 'invalid_state' {
  const words = new Set<string>([
    stage,
    offer === 'none' ? 'unoffered' : offer,
    revocable ? 'revocable' : 'final',
    ended ? 'ended' : 'running',
  ]);
  for (const rule of allowed[act]) {
    const [from, to] = rule.split(' > ');
    if (from!.split(' ').every((word) => words.has(word))) return { to: to as 'issued' };
  }
  const guarded = allowed[act].some((rule) => rule.startsWith(`${stage} revocable`));
  return guarded ? 'not_revocable' : 'invalid_state';
}

describe('the life of a credential', () => {
  it.each(transitions)('allows %s where the specification does, and nowhere else', (act) => {
    for (const state of every) {
      const decision = decide(act, state);
      const shown = 'to' in decision ? decision : decision.refused;
      expect({ ...state, shown }).toEqual({ ...state, shown: expected(act, state) });
    }
  });

  it('never leads out of a revocation, and never back to nothing or offered', () => {
    for (const act of transitions) {
      for (const state of every) {
        const decision = decide(act, state);
        if (state.stage === 'revoked') expect(decision).toHaveProperty('refused', 'invalid_state');
        if ('to' in decision && state.stage !== 'none' && state.stage !== 'offered')
          expect(decision.to).not.toBe('offered');
      }
    }
  });

  it('says in which state it is when it refuses', () => {
    const suspended: CredentialState = { stage: 'suspended', offer: 'none', revocable: true, ended: false };
    expect(() => next('suspend', suspended)).toThrow(AppError);
    expect(() => next('suspend', suspended)).toThrow(
      expect.objectContaining({ code: 'invalid_state', detail: 'The credential is suspended.' }),
    );
    expect(() => next('revoke', { ...suspended, revocable: false })).toThrow(
      expect.objectContaining({ code: 'not_revocable', detail: expect.stringContaining('ends when it expires') }),
    );
    expect(next('resume', suspended)).toBe('issued');
  });

  it('has every allowed arrow in its picture, once', () => {
    const [title, ...arrows] = diagram()
      .split('\n')
      .map((line) => line.trim());
    expect(title).toBe('stateDiagram-v2');
    const drawn = arrows.flatMap((arrow) => {
      const [, from, to, labels] = /^(\S+) --> (\w+) : (.*)$/.exec(arrow) ?? [];
      return (labels ?? '')
        .split('<br/>')
        .filter(Boolean)
        .map((label) => `${label.split(' [')[0]} ${from === '[*]' ? 'none' : from} ${to}`);
    });
    const meant = transitions.flatMap((act) =>
      allowed[act].map((rule) => `${act} ${rule.split(' > ')[0]!.split(' ')[0]} ${rule.split(' > ')[1]}`),
    );
    expect(drawn.sort()).toEqual([...new Set(meant)].sort());
  });
});
