import { beforeEach, expect, test } from '@jest/globals';
import type { App, Contract, CredentialType } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import type { OperatorSession } from '../operator-session.js';
import type { ShopAddress } from './demo-apps.js';
import { seedDemo, type DemoOrganization } from './seed-demo.js';

/** Handles the requests of the seed as directory and issuance do, in memory. */
class FakeServices {
  organizations: string[] = [];
  apps: App[] = [];
  policies = new Map<string, string>();
  types = new Map<string, CredentialType[]>();
  secrets = new Map<string, string[]>();
  people: { id: string; org: string; email: string; status: string; groups: string[] }[] = [];
  groups: { id: string; org: string; name: string }[] = [];
  assignments: { clientId: string; assignee: { group: string } }[] = [];
  links = 0;
  unavailableFor = 0;
  made = 0;

  request = (async (contract: Contract, input: Record<string, never>, org?: string) =>
    this.handle(contract.subject.replace(/^rpc\.[a-z]+\./, ''), input, org)) as unknown as OperatorSession['request'];
  requestEach = (async (contract: Contract, input: Record<string, never>) => [
    await this.request(contract, input),
  ]) as unknown as OperatorSession['requestEach'];
  requestsFor = (org: string) =>
    ((contract, input) => this.request(contract, input, org)) as ReturnType<OperatorSession['requestsFor']>;

  private handle(name: string, input: Record<string, string>, about = ''): unknown {
    if (this.unavailableFor > 0 && (this.unavailableFor -= 1) >= 0) throw new AppError('unavailable');
    const { clientId = '', shortId = '', org = '' } = input;
    switch (name) {
      case 'list-organizations':
        return { items: this.organizations.map((id) => ({ shortId: id })) };
      case 'create-organization':
        return this.organizations.push(shortId);
      case 'list-apps':
        return { items: this.apps.filter((app) => app.org === org) };
      case 'create-app': {
        const app = { ...input, clientId: `app_${(this.made += 1)}` } as unknown as App;
        this.apps.push(app);
        return { app, clientSecret: this.newSecret(app.clientId) };
      }
      case 'update-app': {
        const app = Object.assign(
          this.apps.find((app) => app.clientId === clientId)!,
          input,
        );
        if (input.backchannelLogoutUri === null) delete app.backchannelLogoutUri;
        return app;
      }
      case 'list-secrets':
        return { items: (this.secrets.get(clientId) ?? []).map((id) => ({ id })) };
      case 'create-secret':
        return { clientSecret: this.newSecret(clientId) };
      case 'revoke-secret':
        return this.secrets.set(
          clientId,
          this.secrets.get(clientId)!.filter((id) => id !== input.secretId),
        );
      case 'get-presence-policy':
        return { policy: this.policies.get(about) ?? 'optional' };
      case 'set-presence-policy':
        return this.policies.set(about, input.policy!);
      case 'list-credential-types':
        return { items: this.typesOf(about) };
      case 'create-credential-type':
        return this.typesOf(about)[this.typesOf(about).push(input as never) - 1];
      case 'update-credential-type':
        return Object.assign(
          this.typesOf(about).find((type) => type.name === input.name)!,
          input,
        );
      default:
        return this.handlePeople(name, input as never, about);
    }
  }

  private handlePeople(
    name: string,
    input: Record<string, string> & { group: { name: string }; assignee: { group: string }; users: string[] },
    org: string,
  ): unknown {
    const { clientId = '', q = '', email = '' } = input;
    switch (name) {
      case 'list-groups':
        return { items: this.groups.filter((group) => group.org === org && group.name.startsWith(q)) };
      case 'create-group': {
        const group = { ...input.group, id: `group_${(this.made += 1)}`, org };
        this.groups.push(group);
        return { group };
      }
      case 'add-group-members': {
        const group = this.groups.find(({ id }) => id === (input.group as unknown))!;
        for (const person of this.people)
          if (input.users.includes(person.id)) person.groups = [...new Set([...person.groups, group.name])];
        return {};
      }
      case 'list-assignments':
        return { items: this.assignments.filter((assignment) => assignment.clientId === clientId) };
      case 'assign':
        return this.assignments.push({ clientId, assignee: input.assignee });
      case 'list-people':
        return { items: this.people.filter((person) => person.org === org && person.email === q) };
      case 'invite-person': {
        const user = { id: `person_${(this.made += 1)}`, org, email, status: 'invited', groups: [] };
        this.people.push(user);
        return { user, invitationUrl: this.newLink() };
      }
      case 'reissue-invitation':
        return { user: this.people.find(({ id }) => id === input.person), invitationUrl: this.newLink() };
      default:
        throw new Error(name);
    }
  }

  private newLink(): string {
    return `http://localhost:8080/invitation#${(this.links += 1)}`;
  }

  /** Every organization starts with one type. */
  typesOf(org: string): CredentialType[] {
    if (!this.types.has(org))
      this.types.set(org, [
        {
          name: 'customer',
          display: 'Customer',
          revocable: true,
          holders: ['passkey', 'wallet'],
          maxPasskeys: 10,
          isDefault: true,
        },
      ]);
    return this.types.get(org)!;
  }

  private newSecret(clientId: string): string {
    const secret = `secret_${(this.made += 1)}`;
    const live = [...(this.secrets.get(clientId) ?? []), secret];
    if (live.length > 2) throw new AppError('invalid_state');
    this.secrets.set(clientId, live);
    return secret;
  }
}

let session: FakeServices;
const seed = (known: DemoOrganization[] = [], shop: Partial<ShopAddress> = {}) =>
  seedDemo(
    session,
    'http://localhost:8080',
    { site: 'http://localhost', earlierSites: [], shop: 4000, kiosk: 4001, open: true, ...shop },
    known.flatMap(({ apps }) => apps),
  );
beforeEach(() => {
  session = new FakeServices();
});

test('creates two organizations with five apps each', async () => {
  const [acme, globex] = await seed();
  expect(acme).toMatchObject({ shortId: 'acme', issuer: 'http://localhost:8080/o/acme' });
  expect(acme!.apps.map(({ name, kind, scopes }) => [name, kind, scopes.length])).toEqual([
    ['shop', 'web', 3],
    ['kiosk', 'web', 3],
    ['staff', 'web', 0],
    ['automation', 'service', 11],
    ['security events', 'receiver', 0],
  ]);
  expect(globex!.apps.every((app) => app.clientSecret)).toBe(true);
});

test('creates three credential types per organization, and the kiosk signs in members', async () => {
  for (const { credentialTypes, apps } of await seed()) {
    expect(credentialTypes).toEqual([
      { name: 'customer', validity: 'P1Y', renewalWindow: 'P30D', revocable: true, isDefault: true },
      { name: 'day-pass', validity: 'PT24H', revocable: false, isDefault: false },
      { name: 'membership', revocable: true, isDefault: false },
    ]);
    expect(apps.map(({ credentialType }) => credentialType)).toEqual([
      undefined,
      'membership',
      undefined,
      undefined,
      undefined,
    ]);
  }
});

test('requires presence proofs at globex, not at acme', async () => {
  expect((await seed()).map(({ shortId, presence }) => [shortId, presence])).toEqual([
    ['acme', 'optional'],
    ['globex', 'required'],
  ]);
  expect([...session.policies]).toEqual([['globex', 'required']]);
});

test('updates organizations of an earlier seed, and keeps what the operator changed', async () => {
  const first = await seed();
  delete session.apps.find(({ name }) => name === 'kiosk')!.credentialType;
  delete session.apps.find(({ name }) => name === 'shop')!.backchannelLogoutUri;
  session.apps.find(({ name, org }) => name === 'shop' && org === 'globex')!.backchannelLogoutUri =
    'https://shop.example/logout';
  session.types.delete('acme');
  Object.assign(session.typesOf('globex')[0]!, { validity: 'P5Y' });
  const again = await seed(first);
  expect(again[0]).toEqual({ ...first[0], ownerInvitationUrl: expect.any(String) });
  expect(again[1]!.apps[0]!.backchannelLogoutUri).toBe('https://shop.example/logout');
  expect(again[1]!.credentialTypes[0]).toMatchObject({ validity: 'P5Y', renewalWindow: 'P30D' });
});

test('changes nothing when everything exists and all secrets are known', async () => {
  const first = await seed();
  for (const person of session.people) person.status = 'active';
  const { made } = session;
  const again = await seed(first);
  expect(again).toEqual(
    first.map(({ ownerInvitationUrl: _accepted, ...one }) => ({ ...one, owner: { ...one.owner, status: 'active' } })),
  );
  expect(session.made).toBe(made);
});

test('invites an owner, who may sign in to the staff area as a member of an assigned group', async () => {
  const [acme] = await seed();
  expect(acme).toMatchObject({
    owner: { email: 'owner@acme.example', status: 'invited' },
    ownerInvitationUrl: 'http://localhost:8080/invitation#1',
  });
  const staff = acme!.apps.find(({ audience }) => audience === 'people')!;
  expect(staff).toMatchObject({
    redirectUris: ['http://localhost:4000/acme/staff/callback'],
    postLogoutRedirectUris: ['http://localhost:4000/acme/staff'],
    backchannelLogoutUri: 'http://localhost:4000/acme/staff/backchannel-logout',
  });
  const [staffGroup] = acme!.groups;
  expect(session.assignments[0]).toEqual({ clientId: staff.clientId, assignee: { group: staffGroup!.id } });
  expect([staffGroup!.name, session.people[0]!.groups]).toEqual(['Staff', ['Staff', 'Management']]);
});

test('issues a new link while the owner is invited, and none afterwards', async () => {
  const first = await seed();
  const [again] = await seed(first);
  expect([again!.owner, again!.ownerInvitationUrl]).toEqual([first[0]!.owner, 'http://localhost:8080/invitation#3']);
  Object.assign(session.people[0]!, { status: 'active', groups: [] });
  const [accepted] = await seed(first);
  expect(accepted).not.toHaveProperty('ownerInvitationUrl');
  expect([accepted!.owner.status, session.people[0]!.groups, session.people.length]).toEqual(['active', [], 2]);
});

test('moves the example shop to another port, and keeps addresses that the operator registered', async () => {
  const first = await seed();
  const uris = (app: string) =>
    session.apps
      .filter(({ name, org }) => name === app && org === 'acme')
      .map(({ redirectUris, postLogoutRedirectUris, backchannelLogoutUri }) => [
        ...redirectUris,
        ...postLogoutRedirectUris,
        backchannelLogoutUri,
      ]);
  session.apps[0]!.redirectUris.push('https://shop.example/callback', 'http://localhost:4000/other');
  await seed(first, { shop: 5000, kiosk: 5001 });
  expect(uris('shop')).toEqual([
    [
      'http://localhost:5000/acme/callback',
      'http://localhost:5000/acme/welcome',
      'https://shop.example/callback',
      'http://localhost:4000/other',
      'http://localhost:5000/acme',
      'http://localhost:5000/acme/backchannel-logout',
    ],
  ]);
  expect(uris('staff')).toEqual([
    [
      'http://localhost:5000/acme/staff/callback',
      'http://localhost:5000/acme/staff',
      'http://localhost:5000/acme/staff/backchannel-logout',
    ],
  ]);
  expect(uris('kiosk')).toEqual([
    [
      'http://localhost:5001/acme/callback',
      'http://localhost:5001/acme/welcome',
      'http://localhost:5001/acme',
      'http://localhost:5001/acme/backchannel-logout',
    ],
  ]);
});

test('registers no back-channel logout URI while the shop does not run', async () => {
  const first = await seed();
  expect((await seed(first, { open: false }))[0]!.apps[0]).not.toHaveProperty('backchannelLogoutUri');
  session = new FakeServices();
  expect((await seed([], { open: false }))[0]!.apps[0]).not.toHaveProperty('backchannelLogoutUri');
});

test('replaces an unknown secret repeatedly without reaching the limit of secrets', async () => {
  const first = await seed();
  for (let i = 0; i < 4; i += 1) {
    const again = await seed();
    expect(again[0]!.apps[0]).toMatchObject({ clientId: first[0]!.apps[0]!.clientId });
    expect(session.secrets.get(again[0]!.apps[0]!.clientId)).toContain(again[0]!.apps[0]!.clientSecret);
  }
});

test('retries while directory is unavailable', async () => {
  session.unavailableFor = 2;
  expect(await seed()).toHaveLength(2);
});
