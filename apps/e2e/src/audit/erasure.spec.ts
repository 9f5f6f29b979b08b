// After an erasure: a whole dump of the database gives nothing away, and everything that was ever proved still is.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent, AuditProof } from '@holdfast/contracts';
import { guessable, traces } from '@holdfast/testing';
import { leafHash, openCheckpoint, parseVerifierKey, verifyInclusion } from '@holdfast/tlog';
import { rowsOfAllTables } from '../database.ts';
import { Client } from '../client.ts';
import { eventually, sleep } from '../parallel.ts';
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
const at = (name: string) => join(folder, name);

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
    ['audit', 'export', '--url', `${stack.baseUrl}/o/${auditor.app.org}`, '--client-id', clientId, '--out', at(name)],
    { HOLDFAST_CLIENT_SECRET: clientSecret },
  );
  expect([code, errors]).toEqual([0, expect.not.stringContaining('rror')]);
};
const verify = async (name: string, ...more: string[]) => {
  const { output } = await holdfast(['audit', 'verify', at(name), '--key', key, ...more, '--json']);
  return JSON.parse(output) as { verified: boolean; findings: string[]; entries: number };
};

/** All that stands in the database, apart from the receipt in the feed, which is for the organization. */
const dump = async () =>
  (await rowsOfAllTables(stack))
    .filter(({ table, text }) => table !== 'signals.event' || !text.includes('subject.erased'))
    .map(({ text }) => text)
    .join('\n');

it('nothing of the customer can be recovered, filters find nothing, and what was proved or exported before still verifies', async () => {
  const ada = await newCustomer(shop);
  const bob = await newCustomer(shop);
  // Few enough to be guessable: were a hash of it left, one could try.
  const browser = 'Mozilla/5.0 (Canary; of Ada alone)';
  const why = 'Ada Canary called: her phone is at the lake';
  for (const act of ['suspend', 'resume'] as const)
    expect((await shop.manage(act, ada.credentialId, why)).status).toBe(200);
  await site.refresh(
    (await site.signIn(ada.authenticator, { agent: new UserAgent(stack.baseUrl, browser) })).refreshToken,
  );
  await site.signIn(bob.authenticator);
  await shop.get(ada.subject);
  const recovery = await shop.offer({ subject: ada.subject });
  expect(recovery.status).toBe(201);
  const [passkey] = ada.authenticator.passkeys;
  const named = [
    ada.subject,
    ada.credentialId,
    (recovery.body as { offerId: string }).offerId,
    ...[passkey!.id, passkey!.userHandle].map((id) => Buffer.from(id, 'base64url').toString('hex')),
  ];

  const hers = (await auditor.wholeLog()).filter((e) => JSON.stringify(e).includes(ada.subject));
  expect(hers.map((e) => e.action)).toEqual(
    expect.arrayContaining(['offer.create', 'credential.claim', 'customer.sign_in', 'subject.read']),
  );
  expect(hers.find((e) => e.action === 'customer.sign_in')!.request.userAgent).toBe(browser);
  expect(hers.find((e) => e.action === 'credential.suspend')!.changes!.reason).toEqual({ to: why });
  const proofs = await Promise.all(
    hers.map(
      async ({ id }) => (await auditor.call<AuditProof>('GET', `${auditor.api}/admin/audit/events/${id}/proof`)).body,
    ),
  );
  writeFileSync(at('before.checkpoint'), (await auditor.call('GET', `${auditor.api}/admin/audit/checkpoint`)).text);
  await exportTo('before.ndjson');
  expect(readFileSync(at('before.ndjson'), 'utf8')).toContain(ada.subject);
  // Were the search blind, it would find nothing afterwards either.
  const whole = await dump();
  for (const one of named) expect([one, traces(whole, [one]).length]).not.toEqual([one, 0]);
  expect(guessable(whole, named)).not.toEqual([]);

  expect((await shop.erase(ada.subject)).status).toBe(204);
  await eventually(
    async () => (await auditor.feed()).some((e) => e.type === 'subject.erased' && e.data.subject === ada.subject),
    15_000,
    'the receipt',
  );
  const left = await eventually(
    async () => {
      await sleep(500);
      const text = await dump();
      return traces(text, named).length === 0 && text;
    },
    15_000,
    'a dump that names nobody',
  );
  expect(traces(left, [bob.subject])).not.toEqual([]);
  expect([...traces(left, [why]), ...guessable(left, [...named, browser, why])]).toEqual([]);

  for (const [filter, value] of [
    ['target', ada.subject],
    ['actor', ada.subject],
    ['target', ada.credentialId],
  ] as const)
    expect(await auditor.wholeLog({ [filter]: value })).toEqual([]);
  expect(await auditor.wholeLog({ target: bob.subject })).not.toEqual([]);
  const log = await auditor.wholeLog();
  expect(JSON.stringify(log)).not.toContain(ada.subject);
  for (const event of hers) expect(withoutNames(log.find((e) => e.id === event.id)!)).toEqual(withoutNames(event));

  for (const [i, proof] of proofs.entries()) {
    const { size, root } = openCheckpoint(proof.checkpoint, [parseVerifierKey(key)]);
    const now = (await auditor.call<AuditProof>('GET', `${auditor.api}/admin/audit/events/${hers[i]!.id}/proof`)).body;
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
  expect(await verify('after.ndjson', '--checkpoint', at('before.checkpoint'))).toMatchObject({
    verified: true,
    findings: [],
  });
  expect(traces(readFileSync(at('after.ndjson'), 'utf8'), named)).toEqual([]);
});

function withoutNames({ actor, targets, request, changes, ...event }: AuditEvent) {
  const { address: _, userAgent: __, ...rest } = request;
  const { reason: ___, ...kept } = changes ?? {};
  return { ...event, actor: actor.type, targets: targets.map(({ type }) => type), request: rest, changes: kept };
}
