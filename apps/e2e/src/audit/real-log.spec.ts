// A log of real traffic verifies with both documented verifiers: offers, claims, sign-ins, a suspension with a reason,
// an erased customer, a removed person, callers without an identity, and two drops.
//
// docs/audit-export-vectors has one such log, since test vectors must be the same in every run. To capture another one:
//   HOLDFAST_CAPTURE_VECTORS=1 npm test -- e2e -- apps/e2e/src/audit/real-log.spec.ts && node tools/generate.mjs
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { appendRecords, type Action, type AuditTarget } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client, requestToken } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { busClient, requestInfo } from '../stack/nats.ts';
import { newShortId, root } from '../stack/stack.ts';
import { LogKeeper } from './log-export.fixture.ts';

const docs = join(root, 'docs', 'audit-export-vectors');
/** More entries than a tile has hashes. */
const minEntries = 280;
/** A month that no other test uses: a drop reaches all logs. */
const month = '2018-03';

const org = newShortId();
const folder = mkdtempSync(join(tmpdir(), 'holdfast-real-log-'));
let shop: Client;
let site: RelyingParty;
let auditor: Client;
let keeper: LogKeeper;

const append = async (actions: Action[], occurredAt: string, targets: AuditTarget[] = []) => {
  const gateway = await busClient(stack, 'gateway');
  const records = actions.map((action) => ({
    org,
    record: {
      id: randomUUID(),
      occurredAt,
      action,
      actor: { type: 'system' as const, id: 'e2e' },
      targets,
      outcome: { result: 'success' as const },
      request: requestInfo(),
    },
  }));
  await gateway.request(appendRecords, { records });
  await gateway.close();
};
const drop = (retention: 'reads' | 'changes') =>
  stack.operator<{ dropped: object[]; recorded: boolean }>('audit', 'drop', '--class', retention, '--month', month);

beforeAll(async () => {
  // The log begins with entries of long ago, which can be dropped.
  await append(['app.create', 'subject.read', 'offer.create', 'subject.read'], `${month}-07T08:00:00.000Z`);
  await append(['subject.list', 'subject.read', 'app.grant'], `${month}-08T08:00:00.000Z`);
  await stack.operator('org', 'create', org);
  site = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  shop = new Client(stack, site.app);
  const grants = ['audit:read', 'audit:export', 'webhooks:manage'];
  auditor = new Client(stack, await stack.newApp(org, 'auditor', grants, 'service'), grants);
  keeper = await LogKeeper.of(auditor);
});
afterAll(() => {
  keeper.remove();
  rmSync(folder, { recursive: true });
  closeConnections();
});

async function traffic(): Promise<void> {
  const [ada, bob] = [await newCustomer(shop), await newCustomer(shop)];
  for (const [transition, reason] of [
    ['suspend', 'Reported by phone: not fraud'],
    ['resume', undefined],
  ] as const)
    expect((await shop.manage(transition, bob.credentialId, reason)).status).toBe(200);
  for (const { authenticator } of [ada, bob])
    await site.refresh(
      (await site.signIn(authenticator, { agent: new UserAgent(stack.baseUrl, 'Mozilla/5.0 (X11; Linux x86_64)') }))
        .refreshToken,
    );
  const open = await shop.offer();
  expect((await shop.withdraw((open.body as { offerId: string }).offerId)).status).toBe(204);
  expect((await shop.erase(randomUUID())).status).toBe(404);

  const owner = await HubUser.make(org, ['owner']);
  const helper = await HubUser.make(org, ['support']);
  expect((await helper.call('GET', '/users')).status).toBeLessThan(500);
  expect((await owner.call('POST', '/groups', { name: 'Support' })).status).toBe(201);
  expect((await helper.call('DELETE', `/users/${owner.id}`)).status).toBe(403);

  const wrong = { clientId: site.app.clientId, clientSecret: 'wrong' };
  expect((await requestToken(stack, wrong, 'offers:write')).status).toBe(401);

  const late = { type: 'customer' as const, id: ada.subject, dataSubject: ada.subject };
  expect((await shop.erase(ada.subject)).status).toBe(204);
  expect((await owner.call('DELETE', `/users/${helper.id}`)).status).toBe(204);
  const gone = ['subject.erased', 'user.removed'];
  await eventually(async () => {
    const types = (await auditor.feed()).map(({ type }) => type as string);
    return gone.every((type) => types.includes(type));
  }, 'both erasures in the feed');
  // As from a service whose message was delayed.
  await append(['offer.read', 'subject.read'], new Date().toISOString(), [late]);
}

/** Reads the log until it is long enough. A read that fails is recorded as well. */
async function grow(): Promise<void> {
  await eventually(async () => {
    const read = () => auditor.audit({ limit: '1' }, { headers: { 'x-request-id': `read-${randomUUID()}` } });
    const { body } = await read();
    const left = minEntries - (body.items?.[0]?.seq ?? 0);
    await Promise.all(Array.from({ length: Math.max(0, Math.min(8, left)) }, read));
    return left <= 0;
  }, 'a log of more than a tile');
}

/** The verdict of the verifier in Python, unless it cannot run here. */
function verdictInPython(text: string, key: string): string {
  if (spawnSync('python3', ['-c', 'import cryptography']).status !== 0) return 'verified';
  const file = join(folder, 'log.ndjson');
  writeFileSync(file, text);
  const { stdout, stderr } = spawnSync('python3', ['-B', join(docs, 'verify.py'), file, '--key', key], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trim();
}

it('verifies with both verifiers, before, between and after two drops', async () => {
  const { keys } = (await auditor.call<{ keys: [string] }>('GET', `${auditor.api}/admin/audit/keys`)).body;
  await traffic();
  await grow();
  const texts: string[] = [];
  for (const retention of [undefined, 'reads', 'changes'] as const) {
    if (retention) expect(await drop(retention)).toMatchObject({ dropped: [{ org }], recorded: true });
    const name = `${retention ?? 'whole'}.ndjson`;
    texts.push(await keeper.export(name));
    expect(await keeper.verify(name)).toMatchObject({ verified: true, findings: [] });
    expect(verdictInPython(texts.at(-1)!, keys[0])).toBe('verified');
  }
  const [, before = '', after = ''] = texts;
  const { count } = JSON.parse(before.trimEnd().split('\n').at(-1)!) as { count: number };
  // The entries of the second drop as they were before it, for an export during which it happened.
  const restored = before
    .split('\n')
    .slice(1, 8)
    .filter((line) => line.includes('"leaf":'));
  expect(restored).toHaveLength(3);
  if (process.env.HOLDFAST_CAPTURE_VECTORS !== '1') return;
  const leaf = (line: string) => Buffer.from((JSON.parse(line) as { leaf?: string }).leaf ?? '', 'base64').toString();
  expect(after.split('\n').some((line) => line !== '' && leaf(line).includes('"erased":'))).toBe(true);
  writeFileSync(join(docs, 'log.ndjson'), after);
  writeFileSync(
    join(docs, 'captured.json'),
    `${JSON.stringify({ verifierKey: keys[0], began: count, restored }, null, 2)}\n`,
  );
});
