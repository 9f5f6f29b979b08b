// After an erasure: a dump of the whole database reveals nothing, and everything that was proved before still verifies.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent, AuditProof } from '@holdfast/contracts';
import { eventually, guessable, traces } from '@holdfast/testing';
import { leafHash, openCheckpoint, parseVerifierKey, verifyInclusion } from '@holdfast/tlog';
import { Client } from '../client.ts';
import { rowsOfAllTables } from '../database.ts';
import { closeConnections } from '../http.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { customerScopes, stack } from '../under-test.ts';
import { holdfast } from './command-line.fixture.ts';

let shop: Client;
let auditor: Client;
let site: RelyingParty;
let folder: string;
let key: string;
const pathOf = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-erasure-'));
  const org = await stack.newOrganization();
  site = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  shop = new Client(stack, site.app);
  auditor = new Client(
    stack,
    await stack.newApp(org, 'auditor', ['audit:read', 'audit:export', 'webhooks:manage'], 'service'),
    ['audit:read', 'audit:export', 'webhooks:manage'],
  );
  [key] = (await auditor.call<{ keys: [string] }>('GET', `${auditor.api}/admin/audit/keys`)).body.keys;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  closeConnections();
});

const exportTo = async (name: string) => {
  const { clientId, clientSecret } = auditor.app;
  const { code, errors } = await holdfast(
    [
      'audit',
      'export',
      '--url',
      `${stack.baseUrl}/o/${auditor.app.org}`,
      '--client-id',
      clientId,
      '--out',
      pathOf(name),
    ],
    { HOLDFAST_CLIENT_SECRET: clientSecret },
  );
  expect([code, errors]).toEqual([0, expect.not.stringContaining('rror')]);
};
const verify = async (name: string, ...more: string[]) => {
  const { output } = await holdfast(['audit', 'verify', pathOf(name), '--key', key, ...more, '--json']);
  return JSON.parse(output) as { verified: boolean; findings: string[]; entries: number };
};

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
  const proofs = await Promise.all(
    records.map(
      async ({ id }) => (await auditor.call<AuditProof>('GET', `${auditor.api}/admin/audit/events/${id}/proof`)).body,
    ),
  );
  writeFileSync(pathOf('before.checkpoint'), (await auditor.call('GET', `${auditor.api}/admin/audit/checkpoint`)).text);
  await exportTo('before.ndjson');
  expect(readFileSync(pathOf('before.ndjson'), 'utf8')).toContain(ada.subject);
  // Proves that the search works: it finds each id now.
  const whole = await dump();
  for (const id of ids) expect([id, traces(whole, [id]).length]).not.toEqual([id, 0]);
  expect(guessable(whole, ids)).not.toEqual([]);

  expect((await shop.erase(ada.subject)).status).toBe(204);
  await eventually(
    async () => (await auditor.feed()).some((e) => e.type === 'subject.erased' && e.data.subject === ada.subject),
    15_000,
    'subject.erased in the feed',
  );
  const left = await eventually(
    async () => {
      const text = await dump();
      return traces(text, ids).length === 0 && text;
    },
    15_000,
    'a dump without the customer',
  );
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

  for (const [i, proof] of proofs.entries()) {
    const { size, root } = openCheckpoint(proof.checkpoint, [parseVerifierKey(key)]);
    const now = (await auditor.call<AuditProof>('GET', `${auditor.api}/admin/audit/events/${records[i]!.id}/proof`))
      .body;
    expect(now.leaf).toBe(proof.leaf);
    expect(
      verifyInclusion({
        index: proof.seq - 1,
        size,
        leafHash: leafHash(Buffer.from(now.leaf, 'base64')),
        proof: proof.hashes.map((hash) => Buffer.from(hash, 'base64')),
        root,
      }),
    ).toBe(true);
  }
  expect(await verify('before.ndjson')).toMatchObject({ verified: true, findings: [] });
  await exportTo('after.ndjson');
  expect(await verify('after.ndjson', '--checkpoint', pathOf('before.checkpoint'))).toMatchObject({
    verified: true,
    findings: [],
  });
  expect(traces(readFileSync(pathOf('after.ndjson'), 'utf8'), ids)).toEqual([]);
});

function withoutPersonalData({ actor, targets, request, changes, ...event }: AuditEvent) {
  const { address: _, userAgent: __, ...rest } = request;
  const { reason: ___, ...kept } = changes ?? {};
  return { ...event, actor: actor.type, targets: targets.map(({ type }) => type), request: rest, changes: kept };
}
