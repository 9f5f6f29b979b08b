import fc from 'fast-check';
import type { Action, AuditRecord } from '@holdfast/contracts';
import { customerTarget, recordOf } from '../audit.fixture.js';

/** One step of a random log. Numbers choose among few customers, apps and types, so that steps concern each other. */
interface Step {
  kind: (typeof kinds)[number];
  customer: number;
  app: number;
  type: number;
  atMinutes: number;
  count: number;
}

const kinds = [
  'offer',
  'replayed offer',
  'claim',
  'recovery',
  'sign-in',
  'failed sign-in',
  'suspend',
  'resume',
  'revoke',
  'expire',
  'renew',
  'withdraw',
  'erase',
  'read',
  'denied',
  'counted denial',
] as const;

const start = Date.UTC(2026, 9, 24);
const types = ['member', 'ticket'];
export const apps = ['app-0', 'app-1', 'app-2'];

/** Steps in any order and at any time of two days. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    customer: fc.nat(5),
    app: fc.nat(apps.length - 1),
    type: fc.nat(types.length - 1),
    atMinutes: fc.nat(2 * 1440),
    count: fc.integer({ min: 1, max: 9 }),
  }),
  { minLength: 1, maxLength: 120 },
);

/** The record of a step. Customers have one credential of a type and one offer for it. */
export function recordOfStep({ kind, customer, app, type, atMinutes, count }: Step, run = ''): AuditRecord {
  const id = `customer-${run}${customer}`;
  const target = (name: 'credential' | 'offer') =>
    ({ type: name, id: `${name}-${run}${customer}-${type}`, dataSubject: id }) as const;
  const asApp = { type: 'app', id: apps[app]! } as const;
  const asCustomer = { type: 'customer', id } as const;
  const system = { type: 'system', id: 'issuance' } as const;
  const appTarget = { type: 'app', id: apps[app]! } as const;
  const all = [customerTarget(id), target('credential'), target('offer')];
  const denied = { result: 'denied', status: 403, code: 'insufficient_scope' } as const;
  const of = (action: Action, given: Partial<AuditRecord>): AuditRecord =>
    recordOf({ occurredAt: new Date(start + atMinutes * 60_000).toISOString(), action, ...given });
  const managed = (action: Action, to: string) =>
    of(action, { actor: asApp, targets: all.slice(0, 2), changes: { status: { to } } });
  switch (kind) {
    case 'offer':
      return of('offer.create', { actor: asApp, targets: all, changes: { credentialType: { to: types[type]! } } });
    case 'replayed offer':
      return of('offer.create', { actor: asApp, targets: all, outcome: { result: 'success', replay: true } });
    case 'claim':
    case 'recovery':
      return of('credential.claim', {
        actor: asCustomer,
        targets: all,
        changes: { status: { from: kind === 'claim' ? 'offered' : 'issued', to: 'issued' } },
      });
    case 'sign-in':
      return of('customer.sign_in', { actor: asCustomer, targets: [appTarget, target('credential')] });
    case 'failed sign-in':
      return of('customer.sign_in', {
        actor: { type: 'anonymous', id: 'anonymous' },
        targets: [appTarget],
        outcome: { result: 'failure', status: 409, code: 'ceremony_expired', count },
      });
    case 'suspend':
      return managed('credential.suspend', 'suspended');
    case 'resume':
      return managed('credential.resume', 'issued');
    case 'revoke':
      return managed('credential.revoke', 'revoked');
    case 'expire':
      return of('credential.expire', { actor: system, targets: all.slice(0, 2) });
    case 'renew':
      return of('credential.renew', { actor: system, targets: all.slice(0, 2) });
    case 'withdraw':
      return of('offer.withdraw', { actor: asApp, targets: all });
    case 'erase':
      return of('subject.erase', { actor: asApp, targets: [customerTarget(id)] });
    case 'read':
      return of('subject.list', { actor: asApp });
    case 'denied':
      return of('offer.create', { actor: asApp, outcome: denied });
    case 'counted denial':
      return of('request.denied', {
        actor: { type: 'anonymous', id: 'anonymous' },
        outcome: { result: 'denied', status: 401, code: 'missing_token', count },
      });
  }
}
