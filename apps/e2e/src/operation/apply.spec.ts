// `holdfast apply`: an organization from a file, changed by the file, and dumped as one.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import type { App } from '@holdfast/contracts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';

interface Applied {
  applied: boolean;
  steps: { action: string; object: string; changes: { member: string; from?: unknown; to: unknown }[] }[];
  notInFile: string[];
  next: string[];
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-apply-'));
const org = `apply-${randomBytes(4).toString('hex')}`;
afterAll(() => closeConnections());

/** Writes a file, and applies it. */
function apply(content: object, ...options: string[]): Promise<Applied> {
  return stack.operator<Applied>('apply', '-f', write(content), ...options);
}
function write(content: object): string {
  const file = join(folder, `${randomBytes(4).toString('hex')}.yaml`);
  writeFileSync(file, stringify(content));
  return file;
}
const stepsOf = ({ steps }: Applied) => steps.map(({ action, object }) => `${action} ${object}`);
const apps = () => stack.operator<App[]>('app', 'list', org);

const shop = {
  ...{ name: 'shop', kind: 'web', displayName: 'Acme Shop', credentialType: 'member' },
  ...{ redirectUris: ['https://shop.example/callback'], grants: ['offers:write', 'issued:read'] },
};
const declared = {
  organization: { shortId: org, name: 'Acme Ltd', startUrl: 'https://acme.example/', accentColor: '#0b57a4' },
  presence: { policy: 'required' },
  credentialTypes: [
    { name: 'customer', display: 'Customer', validity: 'P1Y', renewalWindow: 'P30D' },
    { name: 'member', display: 'Member', maxPasskeys: 3 },
  ],
  apps: [shop, { name: 'automation', kind: 'service', grants: ['audit:read'], disabled: true }],
  groups: [{ name: 'Support', description: 'Answers the telephone' }],
};

it('creates an organization as the file declares it, without a secret in what it prints', async () => {
  const planned = await apply(declared);
  expect(planned).toMatchObject({ applied: false, next: [] });
  expect(stepsOf(planned)[0]).toBe(`create organization ${org}`);
  await expect(stack.operator('org', 'show', org)).rejects.toThrow('There is no organization');
  const printed = await stack.printed('apply', '-f', write(declared), '--yes');
  expect([printed.exitCode, printed.stderr]).toEqual([0, '']);
  expect(printed.stdout).toContain('create app shop');
  const all = await apps();
  const [automation, created] = ['automation', 'shop'].map((name) => all.find((app) => app.name === name));
  const { grants, ...settings } = shop;
  expect(created).toMatchObject({ ...settings, scopes: grants.toSorted() });
  expect(automation).toMatchObject({ name: 'automation', disabled: true, scopes: ['audit:read'] });
  for (const { clientId } of [automation!, created!])
    expect([await stack.operator('secret', 'list', clientId), printed.stdout]).toEqual([
      [],
      expect.stringContaining(`holdfast secret create ${clientId}`),
    ]);
  const types = await stack.operator<{ name: string }[]>('type', 'list', org);
  expect(types).toEqual([
    expect.objectContaining({ name: 'customer', validity: 'P1Y', renewalWindow: 'P30D', isDefault: true }),
    expect.objectContaining({ name: 'member', maxPasskeys: 3 }),
  ]);
  expect(await stack.operator('presence', 'show', org)).toMatchObject({ policy: 'required' });
});

it('changes nothing when it is applied again, and a dump is applied without a change', async () => {
  expect(await apply(declared, '--yes')).toEqual({ applied: true, steps: [], notInFile: [], next: [] });
  const out = join(folder, 'dump.yaml');
  await stack.operator('org', 'dump', org, '--out', out);
  const dumped = parse(readFileSync(out, 'utf8')) as typeof declared;
  expect(dumped).toMatchObject({ organization: declared.organization, groups: declared.groups });
  expect(readFileSync(out, 'utf8')).not.toMatch(/clientSecret|turnstile/i);
  expect((await apply(dumped)).steps).toEqual([]);
});

it('shows what differs, changes it, and names what the file does not have', async () => {
  const changed = {
    organization: { ...declared.organization, name: 'Acme', startUrl: null },
    credentialTypes: [{ name: 'customer', validity: null, renewalWindow: null }],
    apps: [{ ...shop, displayName: null, grants: ['issued:read', 'issued:manage'] }],
    groups: [],
  };
  const planned = await apply(changed);
  expect(stepsOf(planned)).toEqual([
    `update organization ${org}`,
    'update credential type customer',
    'update app shop',
  ]);
  expect(planned.notInFile).toEqual(['credential type member', 'app automation', 'group Support']);
  expect(await apply(changed, '--yes')).toMatchObject({ applied: true, steps: planned.steps });
  const app = (await apps()).find(({ name }) => name === 'shop')!;
  expect([app.displayName, app.scopes.toSorted()]).toEqual([undefined, ['issued:manage', 'issued:read']]);
  expect(await stack.operator('org', 'show', org)).toMatchObject({ name: 'Acme' });
  expect((await apply(changed)).steps).toEqual([]);
});

it.each([
  ['a kind that would change', { apps: [{ name: 'shop', kind: 'spa' }] }, 'kind is web, and cannot become spa'],
  [
    'an unknown credential type',
    { apps: [{ ...shop, credentialType: 'nobody' }] },
    'there is no credential type nobody',
  ],
  ['an unknown member', { apps: [{ ...shop, secret: 'x' }] }, 'apps[0]'],
  ['an app twice', { apps: [shop, shop] }, 'app shop is in the file twice'],
  ['an operation that nobody grants', { apps: [{ ...shop, grants: ['everything'] }] }, 'app shop could not be changed'],
])('refuses a file with %s', async (_, content, message) => {
  const before = await apps();
  const { exitCode, stdout, stderr } = await stack.printed(
    ...['apply', '-f', write({ organization: { shortId: org }, ...content }), '--yes'],
  );
  expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  expect(await apps()).toEqual(before);
});

it('refuses a file that is none, or cannot be read', async () => {
  for (const [content, message] of [
    ['organization: {', 'is no YAML'],
    ['- a\n- b', 'is no file of an organization'],
  ] as const) {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, content);
    const { exitCode, stderr } = await stack.printed('apply', '-f', file);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
  const missing = await stack.printed('apply', '-f', join(folder, 'missing.yaml'));
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('cannot be read')]);
});
