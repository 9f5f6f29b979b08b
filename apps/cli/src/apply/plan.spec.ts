import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { App, CredentialType, Organization } from '@holdfast/contracts';
import { fileOf, plansOf } from './object-kinds.js';
import { organizationFileText, parseOrganizationFile, type OrganizationFile } from './organization-file.js';
import type { OrganizationState } from './organization-state.js';

const createdAt = '2026-11-28T10:00:00.000Z';
const organization: Organization = {
  ...{ shortId: 'acme', name: 'Acme', suspended: false, deleting: false },
  ...{ createdAt, shard: 'main' },
};
const shop: App = {
  ...{ clientId: 'app_shop', org: 'acme', name: 'shop', kind: 'web', audience: 'customers' },
  ...{
    redirectUris: ['https://shop.example/in', 'https://shop.example/back'],
    postLogoutRedirectUris: [],
    origins: [],
  },
  ...{ refreshTokens: true, pkce: 'required', scopes: ['offers:write'], disabled: false },
  ...{ apiVersion: '2026-11-01', version: 3, createdAt },
};
const customer: CredentialType = {
  ...{ name: 'customer', display: 'Customer', validity: 'P1Y', revocable: true, holders: ['passkey'] },
  ...{ maxPasskeys: 10, isDefault: true },
};
const state = (changed: Partial<OrganizationState> = {}): OrganizationState & { organization: Organization } => ({
  ...{ organization, presence: { policy: 'optional', turnstile: false }, credentialTypes: [customer] },
  ...{ apps: [shop], groups: [], webhooks: [], ...changed },
  organization: changed.organization ?? organization,
});
const plan = (file: object, of: OrganizationState = state()) => {
  const plans = plansOf(file as OrganizationFile, of);
  return {
    steps: plans.flatMap(({ steps }) => steps.map(({ action, object, changes }) => ({ action, object, changes }))),
    notInFile: plans.flatMap(({ notInFile }) => notInFile),
    problems: plans.flatMap(({ problems }) => problems),
  };
};
const acme = { organization: { shortId: 'acme' } };

describe('the plan of a file', () => {
  it('has nothing to do for what a dump declares, whatever the organization has', () => {
    const text = fc.stringMatching(/^[A-Za-z][A-Za-z -]{0,20}[A-Za-z]$/);
    const uri = text.map((name) => `https://shop.example/${encodeURIComponent(name)}`);
    const uris = fc.uniqueArray(uri, { maxLength: 3 });
    const apps = fc.uniqueArray(
      fc.record({
        name: text,
        displayName: fc.option(text, { nil: undefined }),
        redirectUris: uris,
        postLogoutRedirectUris: uris,
        scopes: fc.subarray(['offers:write', 'issued:read'] as const),
        disabled: fc.boolean(),
        requireDpop: fc.option(fc.boolean(), { nil: undefined }),
      }),
      { selector: ({ name }) => name, maxLength: 4 },
    );
    const groups = fc.uniqueArray(fc.record({ name: text, description: fc.option(text, { nil: undefined }) }), {
      selector: ({ name }) => name,
      maxLength: 4,
    });
    fc.assert(
      fc.property(apps, groups, fc.option(text, { nil: undefined }), (someApps, someGroups, name = 'Acme') => {
        const one = state({
          organization: { ...organization, name },
          apps: someApps.map((app, i) => ({ ...shop, ...app, clientId: `app_${i}`, scopes: [...app.scopes] })),
          groups: someGroups.map((group, i) => ({ ...group, id: String(i), createdAt })),
        });
        const file = parseOrganizationFile(organizationFileText(fileOf(one)), 'dump');
        expect(plan(file, one)).toEqual({ steps: [], notInFile: [], problems: [] });
      }),
    );
  });

  it('leaves what the file does not name, and says which objects of a section it does not name', () => {
    expect(plan(acme)).toEqual({ steps: [], notInFile: [], problems: [] });
    expect(plan({ ...acme, apps: [] })).toEqual({ steps: [], notInFile: ['app shop'], problems: [] });
  });

  it('changes only the members that differ; null removes, and the order of texts does not count', () => {
    const app = { name: 'shop', kind: 'web', redirectUris: shop.redirectUris.toReversed(), grants: ['issued:read'] };
    const types = [{ name: 'customer', validity: null, display: 'Customer' }];
    expect(plan({ ...acme, credentialTypes: types, apps: [app] }).steps).toEqual([
      {
        action: 'update',
        object: 'credential type customer',
        changes: [{ member: 'validity', from: 'P1Y', to: null }],
      },
      {
        action: 'update',
        object: 'app shop',
        changes: [{ member: 'grants', from: ['offers:write'], to: ['issued:read'] }],
      },
    ]);
  });

  it('enables an app that is disabled only when the file says so', () => {
    const disabled = state({ apps: [{ ...shop, disabled: true }] });
    const app = { name: 'shop', kind: 'web' };
    expect(plan({ ...acme, apps: [app] }, disabled).steps).toEqual([]);
    expect(plan({ ...acme, apps: [{ ...app, disabled: false }] }, disabled).steps).toHaveLength(1);
    expect(plan({ ...acme, apps: [{ ...app, disabled: false }] }).steps).toEqual([]);
  });

  it('says what cannot be changed, and what is in the file twice', () => {
    const app = { name: 'shop', kind: 'spa' };
    const { problems } = plan({ organization: { shortId: 'acme', shard: 'eu2' }, apps: [app, app] });
    expect(problems).toEqual([
      expect.stringContaining('shard is main, and cannot become eu2. Move it'),
      expect.stringContaining('app shop: kind is web, and cannot become spa. Delete the app'),
      'app shop is in the file twice.',
      expect.stringContaining('kind is web'),
    ]);
  });

  it('creates an organization that does not exist, with everything that the file has', () => {
    const nothing: OrganizationState = { credentialTypes: [], apps: [], groups: [], webhooks: [] };
    const file = { ...acme, presence: { policy: 'required' }, apps: [{ name: 'shop', kind: 'web' }] };
    expect(plan(file, nothing).steps.map(({ action, object }) => `${action} ${object}`)).toEqual([
      'create organization acme',
      'create policy of proofs of presence',
      'create app shop',
    ]);
  });
});

describe('a file', () => {
  it('is as the example of the documentation', () => {
    const page = readFileSync(new URL('../../../../docs/organization-files.md', import.meta.url), 'utf8');
    const [, example = ''] = /```yaml\n([^]*?)```/.exec(page)!;
    const file = parseOrganizationFile(example, 'the example');
    expect(Object.keys(file)).toHaveLength(6);
    expect(organizationFileText(parseOrganizationFile(organizationFileText(file), 'its text'))).toBe(
      organizationFileText(file),
    );
  });

  const wrong = (text: string) => {
    try {
      parseOrganizationFile(text, 'acme.yaml');
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['no YAML', 'organization: {', 'acme.yaml is no YAML'],
    ['nothing', '', 'acme.yaml is no file of an organization'],
    ['an unknown member', 'organization: { shortId: acme, colour: red }', 'colour'],
    ['a secret', 'organization: { shortId: acme }\npresence: { turnstileSecret: x }', 'turnstileSecret'],
    [
      'a wrong member of an app',
      'organization: { shortId: acme }\napps: [{ name: a, kind: web, pkce: x }]',
      'apps[0].pkce',
    ],
    ['an organization without a name', 'organization: {}', 'organization.shortId'],
    ['the same member twice', 'organization: { shortId: acme }\norganization: { shortId: b }', 'is no YAML'],
  ])('with %s is refused with the place', (_, text, message) => {
    expect(wrong(text)).toContain(message);
    expect(wrong(text)).toContain('nothing was changed');
  });
});
