import { randomInt } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { z } from 'zod';
import {
  addCustomerPasskey,
  beginCustomerPasskey,
  beginLinkedPasskey,
  completeLinkedPasskey,
  confirmPasskeyLink,
  createPasskeyLink,
  eraseSubject,
  removeCustomerPasskey,
  suspendCredential,
  type Contract,
  type ReplyOf,
} from '@holdfast/contracts';
import { passkeyIdOf } from '@holdfast/passkeys';
import { eventually, randomSequence, shuffle, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { anonymous, codesOf, customers, origin, stack, withIssuance } from '../customers.fixture.js';

/** RACE_ROUNDS=500 runs the test for longer. */
const rounds = Number(process.env.RACE_ROUNDS ?? 20);
/** Orders the concurrent requests. Printed, so that a failure can be repeated with RACE_SEED. */
const seed = Number(process.env.RACE_SEED ?? randomInt(2 ** 31));
const browser = 'b'.repeat(43);
/** What a request may get that loses a race, and nothing else. */
const expectedCodes = [
  'account_session_ended',
  // An erasure deletes the challenges of the customer.
  'ceremony_expired',
  'claim_spent',
  'claim_withdrawn',
  'invalid_state',
  'passkey_link_expired',
  'unknown_claim',
  'unknown_credential',
  'unknown_passkey',
  'unknown_subject',
];

withIssuance();

const idOf = (authenticator: SoftwareAuthenticator) => passkeyIdOf(authenticator.passkeys[0]!.id);
const send = <C extends Contract>(contract: C, request: z.input<C['request']>): Promise<ReplyOf<C>> =>
  stack.gateway.request(contract, request, anonymous());

/** A customer with two passkeys, a passkey that another device has made, and responses for further ones. */
async function prepare() {
  const first = await customers.new();
  const { subject } = first;
  const second = new SoftwareAuthenticator();
  const add = await customers.offer({ subject, adds: true });
  await customers.claim(add.token, second);
  const pages = [first.authenticator, second].map((authenticator) => ({ subject, passkey: idOf(authenticator) }));
  const register = async (page: { subject: string; passkey: string }) => {
    const { options } = await send(beginCustomerPasskey, { ...page, browser, organizationName: 'Acme' });
    return new SoftwareAuthenticator().register(options, { origin });
  };
  const responses = await Promise.all([0, 1, 0, 1, 0, 1].map((i) => register(pages[i]!)));
  const { token } = await send(createPasskeyLink, pages[0]!);
  const begun = await send(beginLinkedPasskey, { token, browser, organizationName: 'Acme' });
  const response = new SoftwareAuthenticator().register(begun.options, { origin });
  const { code } = await send(completeLinkedPasskey, { token, browser, response });
  return { ...first, pages, responses, code };
}

it(`concurrent additions, removals, recoveries and erasures leave what the events say, ${rounds} times`, async () => {
  process.stdout.write(`RACE_SEED=${seed}\n`);
  const random = randomSequence(seed);
  for (let round = 0; round < rounds; round += 1) {
    const { subject, credentialId, pages, responses, code } = await prepare();
    const recovery = await customers.offer({ subject });
    const recovered = await customers.register(recovery.token);
    const kind = round % 4;
    const requests: (() => Promise<unknown>)[] = [
      ...responses.map((response, i) => () => send(addCustomerPasskey, { ...pages[i % 2]!, browser, response })),
      ...pages.map((page, i) => () => send(removeCustomerPasskey, { ...page, removed: pages[1 - i]!.passkey })),
      ...[1, 2].map(() => () => send(confirmPasskeyLink, { ...pages[0]!, code })),
      ...(kind === 1 ? [() => customers.complete(recovery.token, recovered)] : []),
      ...(kind === 2 ? [() => stack.gateway.request(suspendCredential, { id: credentialId }, testContext())] : []),
      ...(kind === 3 ? [() => stack.gateway.request(eraseSubject, { subject }, testContext())] : []),
    ];
    shuffle(requests, random);
    const results = await Promise.allSettled(requests.map((request) => request()));
    expect(codesOf(results).filter((failure) => !expectedCodes.includes(failure))).toEqual([]);
    const rows = await stack.database.query<{ credential_id: string }>(
      'SELECT credential_id FROM issuance.passkey WHERE subject = $1',
      [subject],
    );
    if (kind === 3) {
      for (const table of ['passkey', 'passkey_link', 'webauthn_user', 'offer', 'credential'])
        expect(await stack.database.query(`SELECT 1 FROM issuance.${table} WHERE subject = $1`, [subject])).toEqual([]);
      expect(await stack.database.query('SELECT 1 FROM issuance.challenge WHERE owner = $1', [subject])).toEqual([]);
      continue;
    }
    expect(rows.length).toBeGreaterThanOrEqual(1);
    expect(rows.length).toBeLessThanOrEqual(10);
    await eventually(() => {
      const events = customers.eventsOf(subject);
      expect(events.map(({ version }) => version)).toEqual(events.map((_, i) => i + 1));
      expect(events.at(-1)!.state!.credentials[0]!.holders).toHaveLength(rows.length);
      const count = (type: string) => events.filter((event) => event.type === type).length;
      if (kind !== 1)
        expect(1 + count('credential.passkey_added') - count('credential.passkey_removed')).toBe(rows.length);
    });
  }
}, 120_000);
