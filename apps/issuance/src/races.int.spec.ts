import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  createCredentialType,
  eraseSubject,
  getIssued,
  resumeCredential,
  revokeCredential,
  suspendCredential,
  type Credential,
  type CustomerEvent,
} from '@holdfast/contracts';
import {
  eventually,
  FakeClock,
  randomSequence,
  shuffle,
  SoftwareAuthenticator,
  testContext,
  type RandomSequence,
} from '@holdfast/testing';
import { TestCustomers, type TestCustomer } from './customers.fixture.js';
import { IssuanceStack } from './issuance-stack.fixture.js';

/** RACE_ROUNDS=1000 runs the test for longer. */
const rounds = Number(process.env.RACE_ROUNDS ?? 50);
/** Orders the concurrent requests. Printed, so that a failure can be repeated with RACE_SEED. */
const seed = Number(process.env.RACE_SEED ?? randomInt(2 ** 31));

/** The errors that a request may get that loses a race, and no others. */
const expectedCodes = new Set([
  'invalid_state',
  'unknown_credential',
  'unknown_subject',
  'unknown_claim',
  'claim_spent',
  'claim_withdrawn',
  'passkey_invalid',
  'ceremony_expired',
]);

let stack: IssuanceStack;
let customers: TestCustomers;
const clock = new FakeClock('2026-11-21T09:00:00.000Z');

beforeAll(async () => {
  stack = await IssuanceStack.start({ settings: { LOG_LEVEL: 'error' }, clock, replicas: 2 });
  customers = new TestCustomers(stack);
  await stack.asOperator(createCredentialType, {
    name: 'hour',
    display: 'Hour',
    validity: 'PT1H',
    renewalWindow: 'PT50M',
  });
});
afterAll(() => stack?.stop());

/** How many requests of each kind a round has: fifty in all. */
type Mix = Record<'renew' | 'suspend' | 'resume' | 'claim' | 'revoke' | 'erase', number>;
const mixes: Mix[] = [
  { renew: 14, suspend: 12, resume: 12, claim: 12, revoke: 0, erase: 0 },
  { renew: 20, suspend: 6, resume: 6, claim: 10, revoke: 8, erase: 0 },
  { renew: 12, suspend: 10, resume: 10, claim: 10, revoke: 0, erase: 8 },
  { renew: 10, suspend: 9, resume: 9, claim: 8, revoke: 7, erase: 7 },
];

interface Succeeded {
  kind: keyof Mix;
  outcome?: string;
  documentNumber?: string;
}

/** Sends all requests of a round concurrently, in a random order. Resolves to those that succeeded. */
async function race(customer: TestCustomer, mix: Mix, random: RandomSequence): Promise<Succeeded[]> {
  const { credentialId: id, subject, credentialType } = customer;
  const recovery = await customers.offer({ subject, credentialType });
  const claims = await Promise.all(
    Array.from({ length: mix.claim }, () => customers.register(recovery.token, new SoftwareAuthenticator())),
  );
  const signIns = await Promise.all(
    Array.from({ length: mix.renew }, (_, i) => customers.authenticate(customer.authenticator, `${subject} ${i}`)),
  );
  const manage = (contract: typeof suspendCredential) => () =>
    stack.gateway.request(contract, { id }, testContext()).then(() => ({}));
  const requests: Record<keyof Mix, (i: number) => Promise<Omit<Succeeded, 'kind'>>> = {
    renew: async (i) => {
      const result = await customers.finish(signIns[i]!, credentialType, `${subject} ${i}`);
      return {
        outcome: result.outcome,
        ...(result.outcome === 'signed_in' && { documentNumber: result.credential.document_number }),
      };
    },
    claim: (i) => customers.complete(recovery.token, claims[i]!).then(() => ({})),
    suspend: manage(suspendCredential),
    resume: manage(resumeCredential),
    revoke: manage(revokeCredential),
    erase: () => stack.gateway.request(eraseSubject, { subject }, testContext()).then(() => ({})),
  };
  const all = (Object.keys(mix) as (keyof Mix)[]).flatMap((kind) =>
    Array.from({ length: mix[kind] }, (_, i) => ({ kind, i })),
  );
  shuffle(all, random);
  const results = await Promise.allSettled(
    all.map(async ({ kind, i }): Promise<Succeeded> => ({ kind, ...(await requests[kind](i)) })),
  );
  const unexpected = results.flatMap((r) =>
    r.status === 'rejected' && !expectedCodes.has((r.reason as { code: string }).code) ? [r.reason as unknown] : [],
  );
  expect(unexpected).toEqual([]);
  return results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
}

/** The status after all events, each of which must be possible in the status before it. */
function statusAfter(events: CustomerEvent[]): Credential['status'] | 'erased' {
  let status: Credential['status'] | 'erased' = 'offered';
  const from: Partial<Record<CustomerEvent['type'], string[]>> = {
    'credential.issued': ['offered'],
    'credential.renewed': ['issued'],
    'credential.rekeyed': ['issued'],
    'credential.suspended': ['issued'],
    'credential.resumed': ['suspended'],
    'credential.revoked': ['issued', 'suspended'],
    'subject.erasure_started': ['issued', 'suspended', 'revoked'],
  };
  const to: Partial<Record<CustomerEvent['type'], Credential['status'] | 'erased'>> = {
    'credential.issued': 'issued',
    'credential.suspended': 'suspended',
    'credential.resumed': 'issued',
    'credential.revoked': 'revoked',
    'subject.erasure_started': 'erased',
  };
  for (const { type } of events) {
    expect(from[type] ?? [status]).toContain(status);
    status = to[type] ?? status;
  }
  return status;
}

it(
  `fifty concurrent requests for one credential leave one consistent state, ${rounds} times`,
  async () => {
    process.stdout.write(`RACE_SEED=${seed}\n`);
    const random = randomSequence(seed);
    for (let round = 0; round < rounds; round += 1) {
      clock.set('2026-11-21T09:00:00.000Z');
      const customer = await customers.new({ credentialType: 'hour' });
      clock.advance(20 * 60_000);
      const succeeded = await race(customer, mixes[round % mixes.length]!, random);
      const count = (kind: keyof Mix) => succeeded.filter((s) => s.kind === kind && s.outcome !== 'refused').length;

      // The confirmation of an erasure comes seconds later, and is no change.
      const emitted = () => customers.eventsOf(customer.subject).filter(({ type }) => type !== 'subject.erased');
      const emittedOf = (type: string) => emitted().filter((e) => e.type === type).length;
      // Each request that succeeded has its event, and there are no other events.
      await eventually(() =>
        expect([
          emittedOf('credential.suspended'),
          emittedOf('credential.resumed'),
          emittedOf('credential.revoked'),
          emittedOf('credential.rekeyed'),
          emittedOf('subject.erasure_started'),
        ]).toEqual([count('suspend'), count('resume'), count('revoke'), count('claim'), count('erase')]),
      );
      const events = emitted();
      expect(events.map((e) => e.version)).toEqual(events.map((_, i) => i + 1));
      const end = statusAfter(events);
      for (const once of ['revoke', 'claim', 'erase'] as const) expect(count(once)).toBeLessThanOrEqual(1);
      // The first of the sign-ins renews; every later one has the same document number.
      expect(new Set(succeeded.flatMap((s) => s.documentNumber ?? [])).size).toBe(count('renew') > 0 ? 1 : 0);
      expect(emittedOf('credential.renewed')).toBe(count('renew') > 0 ? 1 : 0);

      const read = await stack.gateway.request(getIssued, { id: customer.credentialId }, testContext()).then(
        (credential) => ({ credential }),
        (error: { code: string }) => ({ code: error.code }),
      );
      expect(read).toEqual(
        end === 'erased' ? { code: 'unknown_credential' } : { credential: events.at(-1)!.state!.credentials[0] },
      );
      // A suspension, revocation or erasure leaves no open offer.
      const open = await stack.database.query(`SELECT id FROM issuance.offer WHERE subject = $1 AND status = 'open'`, [
        customer.subject,
      ]);
      expect(open.length).toBeLessThanOrEqual(end === 'issued' ? 1 : 0);
      stack.received.length = 0;
    }
    await eventually(() => expect(stack.lines.filter((line) => /deadlock/.test(line))).toEqual([]));
  },
  60_000 + rounds * 5000,
);
