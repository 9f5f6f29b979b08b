// Analytics of real traffic: every number equals a recount of the audit log, and nobody else sees it.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Analytics } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { newCustomer, signIn, type Customer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { differencesFromLog } from './recount.ts';

let shop: RelyingParty;
let app: Client;
let analyst: Client;
let withoutRight: Client;
let stranger: Client;
beforeAll(async () => {
  const org = await stack.newOrganization();
  const grants = ['analytics:read', 'audit:read'];
  const [analysing, auditing, others] = await Promise.all([
    stack.newApp(org, 'analyst', grants, 'service'),
    stack.newApp(org, 'auditor', ['audit:read'], 'service'),
    newClients({ stranger: { kind: 'service', grants } }),
  ]);
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  app = new Client(stack, { ...shop.app, scopes: customerScopes }, customerScopes);
  analyst = new Client(stack, analysing, grants);
  withoutRight = new Client(stack, auditing, ['audit:read']);
  ({ stranger } = others);
});
afterAll(closeConnections);

const read = (metric: string, query = '', client = analyst) =>
  client.call<Analytics & Problem>('GET', `${analyst.api}/admin/analytics/${metric}${query}`);
/** One bucket, in which the whole test happens. */
const now = Date.now();
const month = `?interval=month&from=${new Date(now).toISOString()}&to=${new Date(now + 1).toISOString()}`;
const valueOf = async (metric: string) => (await read(metric, month)).body.series[0]!.values[0];

async function signInResult({ authenticator }: Customer): Promise<string> {
  const { url } = await shop.begin();
  const { location } = await signIn(new UserAgent(stack.baseUrl), url, authenticator);
  return new URL(location).searchParams.get('error') ?? 'code';
}

describe('analytics of an organization', () => {
  it('equal a recount of its log', async () => {
    const [ada, bob, carol] = [await newCustomer(app), await newCustomer(app), await newCustomer(app)];
    await app.offer();
    expect([await signInResult(ada), await signInResult(ada), await signInResult(bob)]).toEqual(Array(3).fill('code'));
    expect((await app.manage('suspend', bob.credentialId)).status).toBe(200);
    expect(await signInResult(bob)).toBe('access_denied');
    expect((await app.with('issued:read').offer({})).status).toBe(403);
    expect((await app.erase(carol.subject)).status).toBe(204);

    const end = (await analyst.wholeLog())[0]!.seq;
    await eventually(async () => expect((await read('offers')).body.asOf.seq).toBeGreaterThanOrEqual(end));

    expect(await valueOf('offers')).toEqual({ count: 4 });
    expect(await valueOf('claim-rate')).toEqual({ offers: 4, claimed: 3, rate: 0.75 });
    expect(await valueOf('active-customers')).toEqual({ customers: 3 });
    expect(await valueOf('credentials')).toEqual({
      offered: 1,
      live: 1,
      suspended: 1,
      expired: 0,
      revoked: 0,
    });
    expect(await valueOf('time-to-claim')).toMatchObject({ count: 3, p50Ms: expect.any(Number) });

    expect(await differencesFromLog(analyst)).toEqual([]);
    const reasons = (await read('denied-requests', '?groupBy=reason')).body.series.map(({ group }) => group);
    expect(reasons).toContain('insufficient_scope');
    const metrics = ['offers', 'claims', 'claim-rate', 'time-to-claim', 'active-customers', 'credentials', 'sign-ins'];
    const numbers = () => Promise.all(metrics.map(async (metric) => (await read(metric, month)).body.series));
    const before = await numbers();
    await stack.operator('analytics', 'rebuild', analyst.app.org);
    await eventually(async () => expect((await read('offers')).body.asOf.seq).toBeGreaterThanOrEqual(end));
    expect(await numbers()).toEqual(before);
    await eventually(async () =>
      expect((await analyst.audit({ action: 'analytics.rebuild' })).body.items).toMatchObject([
        { actor: { type: 'operator' }, targets: [{ type: 'organization', id: analyst.app.org }] },
      ]),
    );

    const byApp = (await read('offers', '?groupBy=app')).body.series;
    expect(byApp.map(({ group }) => group)).toEqual([shop.app.clientId]);
  });

  it('have a value for each bucket of the time zone, also without events', async () => {
    const query = '?from=2026-10-24T12:00:00Z&to=2026-10-26T12:00:00Z&timezone=Europe/Berlin';
    const { body } = await read('sign-ins', query);
    expect(body.buckets).toEqual(['2026-10-23T22:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']);
    expect(body.to).toBe('2026-10-26T23:00:00.000Z');
    expect(body.series).toEqual([{ values: Array(3).fill({ count: 0 }) }]);
  });

  it.each([
    ['offers', '?interval=minute', 'interval'],
    ['offers', '?timezone=Mars/Olympus', 'timezone'],
    ['offers', '?groupBy=reason', 'groupBy'],
    ['active-customers', '?groupBy=app', 'groupBy'],
    ['offers', '?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'to'],
    ['offers', '?from=2020-01-01T00:00:00Z&to=2026-11-01T00:00:00Z&interval=hour', 'from'],
    ['offers', '?from=0001-01-01T00:00:00Z', 'from'],
    ['nothing', '', 'metric'],
  ])('refuse %s%s and name the parameter', async (metric, query, parameter) => {
    const { status, body } = await read(metric, query);
    expect({ status, parameter: body.errors?.[0]?.parameter }).toEqual({ status: 400, parameter });
  });

  it('are refused without the operation and to other organizations, whose own are empty', async () => {
    expect(await read('offers', '', withoutRight)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(await read('offers', '', stranger)).toMatchObject({ status: 403, body: { code: 'wrong_organization' } });
    const own = await stranger.call<Analytics>('GET', `${stranger.api}/admin/analytics/offers`);
    expect(own.body.series[0]!.values.every((value) => 'count' in value && value.count === 0)).toBe(true);
  });
});
