// After an erasure: a dump of the whole database reveals nothing, and everything that was proved before still verifies.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, guessable, traces } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { rowsOfAllTables } from '../stack/database.ts';
import { LogKeeper, withoutPersonalData } from './log-export.fixture.ts';

let shop: Client;
let auditor: Client;
let site: RelyingParty;
let keeper: LogKeeper;

beforeAll(async () => {
  const org = await stack.newOrganization();
  site = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  shop = new Client(stack, site.app);
  auditor = new Client(
    stack,
    await stack.newApp(org, 'auditor', ['audit:read', 'audit:export', 'webhooks:manage'], 'service'),
    ['audit:read', 'audit:export', 'webhooks:manage'],
  );
  keeper = await LogKeeper.of(auditor);
});
afterAll(() => {
  keeper.remove();
  closeConnections();
});

/** The whole database, without the event `subject.erased` in the feed, which names the subject for the organization. */
const dump = async () =>
  (await rowsOfAllTables(stack))
    .filter(({ table, text }) => table !== 'signals.event' || !text.includes('subject.erased'))
    .map(({ text }) => text)
    .join('\n');

it('leaves nothing of the customer to recover or to find, and earlier proofs and exports still verify', async () => {
  const ada = await newCustomer(shop);
  const bob = await newCustomer(shop);
  // Both are easy to guess, so that a hash of them would be enough to confirm a guess.
  const browser = 'Mozilla/5.0 (Canary; of Ada alone)';
  const reason = 'Ada Canary called: her phone is at the lake';
  for (const transition of ['suspend', 'resume'] as const)
    expect((await shop.manage(transition, ada.credentialId, reason)).status).toBe(200);
  await site.refresh(
    (await site.signIn(ada.authenticator, { agent: new UserAgent(stack.baseUrl, browser) })).refreshToken,
  );
  await site.signIn(bob.authenticator);
  await shop.get(ada.subject);
  const recovery = await shop.offer({ subject: ada.subject });
  expect(recovery.status).toBe(201);
  const [passkey] = ada.authenticator.passkeys;
  const ids = [
    ada.subject,
    ada.credentialId,
    (recovery.body as { offerId: string }).offerId,
    ...[passkey!.id, passkey!.userHandle].map((id) => Buffer.from(id, 'base64url').toString('hex')),
  ];

  const records = (await auditor.wholeLog()).filter((e) => JSON.stringify(e).includes(ada.subject));
  expect(records.map((e) => e.action)).toEqual(
    expect.arrayContaining(['offer.create', 'credential.claim', 'customer.sign_in', 'subject.read']),
  );
  expect(records.find((e) => e.action === 'customer.sign_in')!.request.userAgent).toBe(browser);
  expect(records.find((e) => e.action === 'credential.suspend')!.changes!.reason).toEqual({ to: reason });
  const proofs = await Promise.all(records.map(({ id }) => keeper.proofOf(id)));
  await keeper.keepCheckpoint('before.checkpoint');
  expect(await keeper.export('before.ndjson')).toContain(ada.subject);
  // Proves that the search works: it finds each id now.
  const whole = await dump();
  for (const id of ids) expect([id, traces(whole, [id]).length]).not.toEqual([id, 0]);
  expect(guessable(whole, ids)).not.toEqual([]);

  expect((await shop.erase(ada.subject)).status).toBe(204);
  await eventually(
    async () => (await auditor.feed()).some((e) => e.type === 'subject.erased' && e.data.subject === ada.subject),
    'subject.erased in the feed',
  );
  const left = await eventually(async () => {
    const text = await dump();
    return traces(text, ids).length === 0 && text;
  }, 'a dump without the customer');
  expect(traces(left, [bob.subject])).not.toEqual([]);
  expect([...traces(left, [reason]), ...guessable(left, [...ids, browser, reason])]).toEqual([]);

  for (const [filter, value] of [
    ['target', ada.subject],
    ['actor', ada.subject],
    ['target', ada.credentialId],
  ] as const)
    expect(await auditor.wholeLog({ [filter]: value })).toEqual([]);
  expect(await auditor.wholeLog({ target: bob.subject })).not.toEqual([]);
  const log = await auditor.wholeLog();
  expect(JSON.stringify(log)).not.toContain(ada.subject);
  for (const event of records)
    expect(withoutPersonalData(log.find((e) => e.id === event.id)!)).toEqual(withoutPersonalData(event));

  for (const [i, proof] of proofs.entries()) await keeper.requireProved(records[i]!.id, proof);
  expect(await keeper.verify('before.ndjson')).toMatchObject({ verified: true, findings: [] });
  const after = await keeper.export('after.ndjson');
  expect(await keeper.verify('after.ndjson', 'before.checkpoint')).toMatchObject({ verified: true, findings: [] });
  expect(traces(after, ids)).toEqual([]);
});
