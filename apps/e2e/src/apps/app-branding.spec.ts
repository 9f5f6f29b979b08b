// The sign-in page of an app shows the app's colour, logo and addresses in place of its organization's (ADR 0084).
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import type { ManagedApp, SignIn } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';
import { beginSignIn } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';

let org: string;
let owner: HubUser;
let manager: Client;
let shop: RelyingParty;
let plain: RelyingParty;

beforeAll(async () => {
  org = await stack.newOrganization();
  [owner, manager, shop, plain] = await Promise.all([
    HubUser.make(org, ['owner']),
    stack.newApp(org, 'manager', ['apps:manage'], 'service').then((app) => new Client(stack, app)),
    RelyingParty.make(org, 'shop'),
    RelyingParty.make(org, 'plain'),
  ]);
});
afterAll(closeConnections);

const logoOf = (value: number): string => {
  const image = new PNG({ width: 12, height: 6 });
  image.data.fill(value);
  return PNG.sync.write(image).toString('base64');
};
const change = (json: object) =>
  owner.call<ManagedApp & Omit<Problem, 'status'>>('PATCH', `/apps/${shop.app.clientId}`, json);
/** What the sign-in page of the app gets. */
async function shownBy(party: RelyingParty): Promise<SignIn> {
  const agent = new UserAgent(stack.baseUrl);
  const page = await beginSignIn(agent, (await party.begin()).url);
  return (await agent.go(page)).json as unknown as SignIn;
}
const statusOf = async (path: string) => (await fetch(stack.baseUrl + path)).status;

it('shows what the app overrides, what the organization has otherwise, and nothing of another app', async () => {
  await owner.call('PATCH', '/organization', { accentColor: '#0b57a4', helpUrl: 'https://acme.example/help' });
  const overrides = { startUri: 'https://shop.example/start', helpUri: 'https://shop.example/help' };
  const { status, body } = await change({ accentColor: '#FFCC00', logo: logoOf(10), ...overrides });
  expect([status, body]).toEqual([200, expect.objectContaining({ accentColor: '#ffcc00', ...overrides })]);
  expect(body).not.toHaveProperty('logo');
  await eventually(async () => expect((await shownBy(shop)).organization.accentColor).toBe('#ffcc00'));
  expect(await shownBy(shop)).toMatchObject({
    organization: { accentColor: '#ffcc00', logoPath: body.logoPath, helpUrl: 'https://shop.example/help' },
    app: { uri: 'https://shop.example/start' },
  });
  expect(await statusOf(body.logoPath!)).toBe(200);
  const other = await shownBy(plain);
  expect(other.organization).toMatchObject({ accentColor: '#0b57a4', helpUrl: 'https://acme.example/help' });
  expect(other.organization).not.toHaveProperty('logoPath');
  expect(other.app.uri).toBe('https://shop.example/bye');

  await change({ accentColor: null, logo: null, startUri: null, helpUri: null });
  await eventually(async () =>
    expect(await shownBy(shop)).toEqual({ ...other, app: { ...other.app, name: shop.app.name } }),
  );
  expect(await statusOf(body.logoPath!)).toBe(404);
});

it('refuses garbage in each member with the member at fault, and changes nothing', async () => {
  const read = () => owner.call<ManagedApp>('GET', `/apps/${shop.app.clientId}`);
  const before = (await read()).body;
  for (const [json, pointer] of [
    [{ logo: Buffer.from('<svg/>').toString('base64') }, '#/logo'],
    [{ logo: 'A'.repeat(90_000) }, '#/logo'],
    [{ logo: '../../etc/passwd' }, '#/logo'],
    [{ logoPath: '/o/acme/logos/x' }, '#/logoPath'],
    [{ accentColor: 'red;}body{display:none' }, '#/accentColor'],
    [{ helpUri: 'javascript:alert(1)' }, '#/helpUri'],
    [{ startUri: 'http://shop.example/' }, '#/startUri'],
    [{ startUri: 'https://user:secret@shop.example/' }, '#/startUri'],
  ] as const) {
    const { status, body } = await change(json);
    expect([json, status, JSON.stringify(body.errors)]).toEqual([json, 422, expect.stringContaining(`"${pointer}"`)]);
  }
  expect((await read()).body).toEqual(before);
});

it('is set by a program for an app that it made, and ends with the app; ten logos at once leave one', async () => {
  const made = await manager.call<ManagedApp>('POST', `${manager.api}/admin/apps`, {
    json: { name: 'made', kind: 'spa', logo: logoOf(30) },
  });
  expect(made.status).toBe(201);
  const path = `${manager.api}/admin/apps/${made.body.clientId}`;
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => manager.call<ManagedApp>('PATCH', path, { json: { logo: logoOf(31 + i) } })),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const { logoPath } = (await manager.call<ManagedApp>('GET', path)).body;
  const paths = [made, ...replies].map(({ body }) => body.logoPath!);
  const served = await Promise.all(paths.map(async (each) => ((await statusOf(each)) === 200 ? [each] : [])));
  expect(served.flat()).toEqual([logoPath]);
  expect((await manager.call('DELETE', path)).status).toBe(204);
  expect(await statusOf(logoPath!)).toBe(404);
  // Another app than one that it made.
  const foreign = `${manager.api}/admin/apps/${shop.app.clientId}`;
  expect(await manager.call('PATCH', foreign, { json: { logo: logoOf(99) } })).toMatchObject({ status: 403 });
});
