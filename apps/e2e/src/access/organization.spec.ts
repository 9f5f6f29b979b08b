// Owners and admins change what the pages of their organization show (docs/adr/0084-branding.md).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import type { OwnOrganization, ShownOrganization } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, exchange, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';

let org: string;
let owner: HubUser;
let admin: HubUser;
let auditor: HubUser;
let observer: Client;

beforeAll(async () => {
  org = await stack.newOrganization();
  [owner, admin, auditor] = await Promise.all([
    HubUser.make(org, ['owner']),
    HubUser.make(org, ['admin']),
    HubUser.make(org, ['auditor', 'support', 'approver']),
  ]);
  observer = new Client(stack, await stack.newApp(org, 'observer', ['audit:read', 'apps:manage'], 'service'));
});
afterAll(closeConnections);

const change = (by: HubUser, json: object) =>
  by.call<OwnOrganization & Omit<Problem, 'status'>>('PATCH', '/organization', json);
const page = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${stack.baseUrl}/o/${org}${path}`, { headers });
const shown = async (): Promise<ShownOrganization> => (await page('/api/organization')).json() as never;
/** Not by `fetch`, which sends a `Sec-Fetch-Mode` of its own. */
const htmlOf = async (path = '') => {
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
  return (await exchange({ origin: stack.baseUrl, path: `/o/${org}${path}`, headers })).text;
};

/** One colour, with a comment that must not be served. */
const logoOf = (width: number, height: number, value: number): string => {
  const image = new PNG({ width, height });
  image.data.fill(value);
  return PNG.sync.write(image).toString('base64');
};

describe('the organization', () => {
  it('is changed by owner and admin, and by nobody else; the pages show it and the log has it', async () => {
    const logo = logoOf(64, 32, 200);
    const changed = await change(owner, { name: 'Acme Blue', accentColor: '#FFCC00', logo });
    expect(changed).toMatchObject({ status: 200, body: { shortId: org, name: 'Acme Blue', accentColor: '#ffcc00' } });
    const { logoPath } = changed.body;
    expect(logoPath).toMatch(new RegExp(`^/o/${org}/logos/[0-9a-f]{32}$`));
    const helped = await change(admin, { helpUrl: 'https://acme.example/help' });
    const version = changed.body.version + 1;
    expect(helped.body).toEqual({ ...changed.body, helpUrl: 'https://acme.example/help', version });
    expect((await owner.call('GET', '/organization')).body).toEqual(helped.body);
    await eventually(async () => (await shown()).helpUrl !== undefined);
    const { shortId: _, version: __, ...visible } = helped.body;
    expect(await shown()).toEqual(visible);
    const html = await eventually(async () => {
      const found = await htmlOf();
      return found.includes('Acme Blue') && found;
    });
    expect(html).toContain(`<img class="logo" src="${logoPath}" alt="">`);
    for (const [method, json] of [
      ['GET', undefined],
      ['PATCH', { name: 'Evil' }],
    ] as const) {
      expect(await auditor.call(method, '/organization', json)).toMatchObject({ status: 403 });
      const byApp = await observer.call(method, `${observer.api}/admin/organization`, json && { json });
      expect(byApp).toMatchObject({ status: 403 });
    }
    expect((await shown()).name).toBe('Acme Blue');
    const [record] = (await observer.wholeLog({ action: 'organization.update' })).filter(
      ({ outcome, changes }) => outcome.result === 'success' && changes?.['name'] !== undefined,
    );
    expect(record).toMatchObject({ changes: { name: { to: 'Acme Blue' }, accentColor: { to: '#ffcc00' } } });
    expect(JSON.stringify(record)).not.toContain(logo.slice(0, 40));
  });

  it.each([
    ['after a sign-out', '/session/end/success'],
    ['that no app began', '/authorize?client_id=app_nobody'],
    ['that does not exist', '/nothing-here'],
  ])('leads customers on from a page %s, and names itself there', async (_, path) => {
    await change(owner, { startUrl: 'https://acme.example/?a=1&b=2', helpUrl: 'https://acme.example/help' });
    const html = await eventually(async () => {
      const found = await htmlOf(path);
      return found.includes('a=1') && found;
    });
    const { name } = await shown();
    expect(html).toContain(`<span dir="auto">${name}</span>`);
    expect(html).toContain(`href="https://acme.example/?a=1&amp;b=2">Continue to ${name}</a>`);
    expect(html).toContain(`href="https://acme.example/help">Get help from ${name}</a>`);
  });

  it('serves its logo for ever from its own origin, and no more once it is replaced or removed', async () => {
    const { logoPath: first } = (await change(owner, { logo: logoOf(20, 20, 10) })).body;
    const served = await fetch(stack.baseUrl + first!);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(served.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(served.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(served.headers.get('x-content-type-options')).toBe('nosniff');
    expect(PNG.sync.read(Buffer.from(await served.arrayBuffer()))).toMatchObject({ width: 20, height: 20 });
    const { logoPath: second } = (await change(owner, { logo: logoOf(20, 20, 11) })).body;
    expect((await fetch(stack.baseUrl + first!)).status).toBe(404);
    expect((await fetch(stack.baseUrl + second!)).status).toBe(200);
    const removed = (await change(owner, { logo: null, accentColor: null })).body;
    expect([removed.logoPath, removed.accentColor]).toEqual([undefined, undefined]);
    expect((await fetch(stack.baseUrl + second!)).status).toBe(404);
    for (const path of ['/logos/x', `/logos/${'0'.repeat(32)}`, '/logos/..%2f..%2fetc'])
      expect([404, 422, 400]).toContain((await page(path)).status);
  });

  it('refuses what is no image, no colour and no address with the member at fault, and changes nothing', async () => {
    const before = (await owner.call('GET', '/organization')).body;
    for (const [json, pointer] of [
      [{ logo: Buffer.from('<svg/>').toString('base64') }, '#/logo'],
      [{ logo: 'not base64!' }, '#/logo'],
      [{ logo: 'A'.repeat(90_000) }, '#/logo'],
      [{ accentColor: 'red;}body{display:none' }, '#/accentColor'],
      [{ accentColor: '#12345' }, '#/accentColor'],
      [{ helpUrl: 'javascript:alert(1)' }, '#/helpUrl'],
      [{ startUrl: 'http://acme.example/' }, '#/startUrl'],
      [{ name: '' }, '#/name'],
      [{ name: 'a\u202eb' }, '#/name'],
      [{ shortId: 'other' }, '#/shortId'],
    ] as const) {
      const { status, body } = await change(owner, json);
      expect([json, status, JSON.stringify(body.errors)]).toEqual([json, 422, expect.stringContaining(pointer)]);
    }
    expect((await owner.call('GET', '/organization')).body).toEqual(before);
  });

  it('of ten changes of the logo at once, one remains, and only its logo is served', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => change(i % 2 ? owner : admin, { logo: logoOf(8, 8, 20 + i) })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const { logoPath } = (await owner.call<OwnOrganization>('GET', '/organization')).body;
    const found = await Promise.all(
      replies.map(async ({ body }) => [body.logoPath, (await fetch(stack.baseUrl + body.logoPath!)).status]),
    );
    expect(found.filter(([, status]) => status === 200)).toEqual([[logoPath, 200]]);
  });
});
