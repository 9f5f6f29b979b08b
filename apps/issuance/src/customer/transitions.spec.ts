import { describe, expect, it } from '@jest/globals';
import { AppError } from '@holdfast/platform';
import type { Customer, CustomerCredential, CustomerOffer } from './customer.js';
import {
  credentialStateOf,
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
    [true, false].flatMap((revocable) => [true, false].map((expired) => ({ stage, offer, revocable, expired }))),
  ),
);

/**
 * Product §5 written a second time, independently of the table: for each transition from which status to which status
 * it leads. A word after the first status is a condition.
 */
const allowed: Record<TransitionName, string[]> = {
  offer: ['none > offered', 'offered > offered', 'issued > issued'],
  claim: ['offered open > issued'],
  withdraw: [
    'offered open > revoked',
    'offered offer-expired > revoked',
    'issued open > issued',
    'issued offer-expired > issued',
  ],
  suspend: ['issued revocable > suspended'],
  resume: ['suspended > issued'],
  revoke: ['offered > revoked', 'issued revocable > revoked', 'suspended revocable > revoked'],
  renew: ['issued unexpired > issued'],
  rekey: ['issued open > issued'],
  expire: ['issued expired > issued', 'suspended expired > suspended'],
};

function expected(
  transition: TransitionName,
  { stage, offer, revocable, expired }: CredentialState,
): Decision | 'not_revocable' | 'invalid_state' {
  const words = new Set<string>([
    stage,
    { none: 'no-offer', open: 'open', expired: 'offer-expired' }[offer],
    revocable ? 'revocable' : 'not-revocable',
    expired ? 'expired' : 'unexpired',
  ]);
  for (const rule of allowed[transition]) {
    const [from, to] = rule.split(' > ');
    if (from!.split(' ').every((word) => words.has(word))) return { to: to as 'issued' };
  }
  const guarded = allowed[transition].some((rule) => rule.startsWith(`${stage} revocable`));
  return guarded ? 'not_revocable' : 'invalid_state';
}

describe('transitions of a credential', () => {
  it.each(transitions)('allow %s from the statuses of product §5 only', (transition) => {
    for (const state of every) {
      const decision = decide(transition, state);
      const outcome = 'to' in decision ? decision : decision.denied;
      expect({ ...state, outcome }).toEqual({ ...state, outcome: expected(transition, state) });
    }
  });

  it('from revoked are denied, and so are those of a claimed credential back to offered', () => {
    for (const transition of transitions) {
      const outcomes = (stages: string[]) =>
        every
          .filter(({ stage }) => stages.includes(stage))
          .map((state) => {
            const decision = decide(transition, state);
            return 'to' in decision ? decision.to : decision.denied;
          });
      expect(new Set(outcomes(['revoked']))).toEqual(new Set(['invalid_state']));
      expect(outcomes(['issued', 'suspended'])).not.toContain('offered');
    }
  });

  it('that are denied name the status', () => {
    const suspended: CredentialState = { stage: 'suspended', offer: 'none', revocable: true, expired: false };
    expect(() => next('suspend', suspended)).toThrow(AppError);
    expect(() => next('suspend', suspended)).toThrow(
      expect.objectContaining({ code: 'invalid_state', detail: 'The credential is suspended.' }),
    );
    expect(() => next('revoke', { ...suspended, revocable: false })).toThrow(
      expect.objectContaining({ code: 'not_revocable', detail: expect.stringContaining('ends when it expires') }),
    );
    expect(next('resume', suspended)).toBe('issued');
  });

  it('are all in the diagram, once each', () => {
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
    const listed = transitions.flatMap((transition) =>
      allowed[transition].map((rule) => `${transition} ${rule.split(' > ')[0]!.split(' ')[0]} ${rule.split(' > ')[1]}`),
    );
    expect(drawn.sort()).toEqual([...new Set(listed)].sort());
    expect(diagram()).toContain('[*] --> offered : offer\n');
    expect(diagram()).toContain('issued --> suspended : suspend [revocable]\n');
  });
});

describe('the state of a credential', () => {
  const now = new Date('2026-11-21T09:30:00.000Z');
  const [earlier, later] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
  const credential = { id: 'c1', status: 'issued', revocable: false, expiresAt: later } as CustomerCredential;
  const offer = { credentialId: 'c1', status: 'open', expiresAt: later } as CustomerOffer;
  const stateWith = (offers: CustomerOffer[], at = credential) => credentialStateOf({ offers } as Customer, at, now);

  it('of a customer without one is that before its first offer', () => {
    const state = credentialStateOf({ offers: [offer] } as Customer, undefined, now);
    expect(state).toEqual({ stage: 'none', revocable: true, offer: 'none', expired: false });
  });

  it('has its status, whether it can be revoked, and whether it has expired', () => {
    expect(stateWith([])).toEqual({ stage: 'issued', revocable: false, offer: 'none', expired: false });
    expect(stateWith([], { ...credential, expiresAt: now })).toMatchObject({ expired: true });
  });

  it('has the open offer of this credential, expired from its time on', () => {
    const others: CustomerOffer[] = [
      { ...offer, credentialId: 'c2' },
      { ...offer, status: 'withdrawn' },
    ];
    expect(stateWith(others).offer).toBe('none');
    expect(stateWith([...others, offer]).offer).toBe('open');
    expect(stateWith([...others, { ...offer, expiresAt: earlier }]).offer).toBe('expired');
  });
});
