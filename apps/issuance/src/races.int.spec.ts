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
import { eventually, FakeClock, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { TestCustomers, type TestCustomer } from './customers.fixture.js';
import { IssuanceStack } from './issuance-stack.fixture.js';

/** More by RACE_ROUNDS=1000, for a longer look. */
const rounds = Number(process.env.RACE_ROUNDS ?? 50);
/** Orders the concurrent requests. Printed, so that a failure can be repeated with RACE_SEED. */
const seed = Number(process.env.RACE_SEED ?? randomInt(2 ** 31));

/** What a loser of a race may hear. Nothing else, and never a fault of ours. */
const losing = new Set([
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
  stack = await IssuanceStack.start({ LOG_LEVEL: 'error' }, clock, 2);
  customers = new TestCustomers(stack);
  await stack.asOperator(createCredentialType, {
    name: 'hour',
    display: 'Hour',
    validity: 'PT1H',
    renewalWindow: 'PT50M',
  });
});
afterAll(() => stack?.stop());

/** What each kind of act does in one round, and how often: fifty acts in all. */
type Mix = Record<'renew' | 'suspend' | 'resume' | 'claim' | 'revoke' | 'erase', number>;
const mixes: Mix[] = [
  { renew: 14, suspend: 12, resume: 12, claim: 12, revoke: 0, erase: 0 },
  { renew: 20, suspend: 6, resume: 6, claim: 10, revoke: 8, erase: 0 },
  { renew: 12, suspend: 10, resume: 10, claim: 10, revoke: 0, erase: 8 },
  { renew: 10, suspend: 9, resume: 9, claim: 8, revoke: 7, erase: 7 },
];

interface Won {
  act: keyof Mix;
  outcome?: string;
  documentNumber?: string;
}

/** Numbers from 0 to 1 that the seed repeats (mulberry32). */
function generator(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Fisher and Yates. */
function shuffle<T>(items: T[], random: () => number): void {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
}

/** Sends all requests concurrently, in a random order. Resolves to those that succeeded. */
async function race(holder: TestCustomer, mix: Mix, random: () => number): Promise<Won[]> {
  const { credentialId: id, subject, credentialType } = holder;
  const recovery = await customers.offer({ subject, credentialType });
  const claims = await Promise.all(
    Array.from({ length: mix.claim }, () => customers.register(recovery.token, new SoftwareAuthenticator())),
  );
  const signIns = await Promise.all(
    Array.from({ length: mix.renew }, (_, i) => customers.authenticate(holder.authenticator, `${subject} ${i}`)),
  );
  const manage = (contract: typeof suspendCredential) => () =>
    stack.gateway.request(contract, { id }, testContext()).then(() => ({}));
  const transitions: Record<keyof Mix, (i: number) => Promise<Omit<Won, 'act'>>> = {
    renew: async (i) => {
      const done = await customers.finish(signIns[i]!, credentialType, `${subject} ${i}`);
      return {
        outcome: done.outcome,
        ...(done.outcome === 'signed_in' && {
          documentNumber: done.credential.document_number,
        }),
      };
    },
    claim: (i) => customers.complete(recovery.token, claims[i]!).then(() => ({})),
    suspend: manage(suspendCredential),
    resume: manage(resumeCredential),
    revoke: manage(revokeCredential),
    erase: () => stack.gateway.request(eraseSubject, { subject }, testContext()).then(() => ({})),
  };
  const all = (Object.keys(mix) as (keyof Mix)[]).flatMap((act) =>
    Array.from({ length: mix[act] }, (_, i) => ({ act, i })),
  );
  shuffle(all, random);
  const results = await Promise.allSettled(
    all.map(async ({ act, i }): Promise<Won> => ({
      act,
      ...(await transitions[act](i)),
    })),
  );
  const faults = results.flatMap((r) =>
    r.status === 'rejected' && !losing.has((r.reason as { code: string }).code) ? [r.reason as unknown] : [],
  );
  expect(faults).toEqual([]);
  return results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
}

/** The one story that the events tell: each begins where the one before it ended. */
function tell(events: CustomerEvent[]): Credential['status'] | 'erased' {
  let status: Credential['status'] | 'erased' = 'offered';
  const needs: Partial<Record<CustomerEvent['type'], string[]>> = {
    'credential.issued': ['offered'],
    'credential.renewed': ['issued'],
    'credential.rekeyed': ['issued'],
    'credential.suspended': ['issued'],
    'credential.resumed': ['suspended'],
    'credential.revoked': ['issued', 'suspended'],
    'subject.erasure_started': ['issued', 'suspended', 'revoked'],
  };
  const leads: Partial<Record<CustomerEvent['type'], Credential['status'] | 'erased'>> = {
    'credential.issued': 'issued',
    'credential.suspended': 'suspended',
    'credential.resumed': 'issued',
    'credential.revoked': 'revoked',
    'subject.erasure_started': 'erased',
  };
  for (const { type } of events) {
    expect(needs[type] ?? [status]).toContain(status);
    status = leads[type] ?? status;
  }
  return status;
}

it(
  `lets fifty acts on one credential at once have one consistent end, ${rounds} times`,
  async () => {
    process.stdout.write(`RACE_SEED=${seed}\n`);
    const random = generator(seed);
    for (let round = 0; round < rounds; round += 1) {
      clock.set('2026-11-21T09:00:00.000Z');
      const holder = await customers.new({ credentialType: 'hour' });
      clock.advance(20 * 60_000);
      const won = await race(holder, mixes[round % mixes.length]!, random);
      const count = (act: keyof Mix) => won.filter((w) => w.act === act && w.outcome !== 'refused').length;

      // The receipt of an erasure comes seconds later, and is no change.
      const emitted = () => customers.eventsOf(holder.subject).filter(({ type }) => type !== 'subject.erased');
      const happened = (type: string) => emitted().filter((e) => e.type === type).length;
      // Nothing that was answered is lost, nothing is told that was not answered.
      await eventually(
        () =>
          expect([
            happened('credential.suspended'),
            happened('credential.resumed'),
            happened('credential.revoked'),
            happened('credential.rekeyed'),
            happened('subject.erasure_started'),
          ]).toEqual([count('suspend'), count('resume'), count('revoke'), count('claim'), count('erase')]),
        10_000,
      );
      const events = emitted();
      expect(events.map((e) => e.version)).toEqual(events.map((_, i) => i + 1));
      const end = tell(events);
      for (const once of ['revoke', 'claim', 'erase'] as const) expect(count(once)).toBeLessThanOrEqual(1);
      // The first sign-in of many renews; every later one has its document number.
      expect(new Set(won.flatMap((w) => w.documentNumber ?? [])).size).toBe(count('renew') > 0 ? 1 : 0);
      expect(happened('credential.renewed')).toBe(count('renew') > 0 ? 1 : 0);

      const read = await stack.gateway.request(getIssued, { id: holder.credentialId }, testContext()).then(
        (credential) => ({ credential }),
        (error: { code: string }) => ({ code: error.code }),
      );
      expect(read).toEqual(
        end === 'erased' ? { code: 'unknown_credential' } : { credential: events.at(-1)!.state!.credentials[0] },
      );
      // A suspension, revocation or erasure leaves no offer that could be claimed.
      const open = await stack.database.query(`SELECT id FROM issuance.offer WHERE subject = $1 AND status = 'open'`, [
        holder.subject,
      ]);
      expect(open.length).toBeLessThanOrEqual(end === 'issued' ? 1 : 0);
      stack.received.length = 0;
    }
    await eventually(() => expect(stack.lines.filter((line) => /deadlock/.test(line))).toEqual([]));
  },
  60_000 + rounds * 5000,
);
