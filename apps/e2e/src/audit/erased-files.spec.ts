// After an erasure and the nightly rewrite of tables no file of the stack contains anything of the customer.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { bytesOf, eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { filesOfAllRelations, query } from '../stack/database.ts';
import { holdfast } from './command-line.fixture.ts';
import { filesBelow, found } from './stored-files.fixture.ts';

const browser = 'Mozilla/5.0 (Canary; of Grace alone)';
const reason = 'Grace Canary called: her phone is in the river';

let shop: Client;
let auditor: Client;
let site: RelyingParty;
beforeAll(async () => {
  const org = await stack.newOrganization();
  site = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  shop = new Client(stack, site.app);
  auditor = new Client(stack, await stack.newApp(org, 'auditor', ['audit:read', 'webhooks:manage'], 'service'), [
    'audit:read',
    'webhooks:manage',
  ]);
});
afterAll(closeConnections);

it('leaves nothing of the customer in statistics, tables, indexes, JetStream and logs after a rewrite', async () => {
  const grace = await newCustomer(shop);
  const other = await newCustomer(shop);
  // As plain text the reason is only in rows of the outbox, which are deleted soon and overwritten at any time.
  await eventually(async () => {
    for (const transition of ['suspend', 'resume'] as const)
      expect((await shop.manage(transition, grace.credentialId, reason)).status).toBe(200);
    return found(await filesOfAllRelations(stack), [reason]).length > 0;
  }, 'the reason in a file');
  await site.refresh(
    (await site.signIn(grace.authenticator, { agent: new UserAgent(stack.baseUrl, browser) })).refreshToken,
  );
  const recovery = await shop.offer(
    { subject: grace.subject },
    { headers: { 'idempotency-key': `of ${grace.subject}` } },
  );
  const [passkey] = grace.authenticator.passkeys;
  const ids = [grace.subject, grace.credentialId, (recovery.body as { offerId: string }).offerId];
  const stored = [...ids, ...[passkey!.id, passkey!.userHandle].map((id) => bytesOf(id).toString('hex'))];
  const values = [...stored, reason];
  await query(stack, 'ANALYZE');
  // Proves that the search works: it finds each value now.
  const before = await filesOfAllRelations(stack);
  for (const value of stored) expect([value, found(before, [value]).length > 0]).toEqual([value, true]);

  expect((await shop.erase(grace.subject)).status).toBe(204);
  await eventually(
    async () => (await auditor.feed()).some((e) => e.type === 'subject.erased' && e.data.subject === grace.subject),
    'subject.erased in the feed',
  );
  // The row of the event itself names the subject until every consumer has confirmed it.
  await eventually(
    async () => (await query(stack, 'SELECT FROM issuance.outbox WHERE aggregate = $1', [grace.subject])).length === 0,
    'an outbox without rows of the customer',
  );

  await query(stack, 'ANALYZE');
  expect(
    await query(
      stack,
      `SELECT schemaname, tablename, attname FROM pg_stats
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    ),
  ).toEqual([]);
  // A rewrite keeps recently deleted rows while older transactions are open, so it is repeated.
  const left = await eventually(async () => {
    const { code, errors } = await holdfast(['database', 'rewrite', '--if-erased'], {
      DATABASE_URL: stack.launcher.databaseUrl,
    });
    expect([code, errors]).toEqual([0, '']);
    const files = await filesOfAllRelations(stack);
    // The feed keeps `subject.erased`, which names the subject, for the organization.
    const traces = [
      ...found(files, [...values.slice(1), browser]),
      ...found(
        files.filter(({ name }) => name !== 'signals.event'),
        values.slice(0, 1),
      ),
    ];
    return traces.length === 0 && files;
  }, 'files without the customer');
  expect(found(left, [other.subject])).not.toEqual([]);

  await eventually(
    async () => found(filesBelow('nats', 'jetstream'), values).length === 0,
    'files of JetStream without the customer',
  );
  expect(found(filesBelow('logs'), values)).toEqual([]);
});
