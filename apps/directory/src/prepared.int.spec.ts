import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  adminCreateApp,
  approveAccessRequest,
  beginPasskeyAddition,
  changeRoles,
  completePasskeyAddition,
  createAccessRequest,
  createApp,
  createOrganization,
  createSecret,
  deleteApp,
  disableApp,
  getClient,
  getInvitation,
  grantOperations,
  invitePerson,
  preparedKinds,
  removePerson,
  revokeSecret,
  rightChangesOf,
  setPersonActive,
  suspendOrganization,
  ungrantOperations,
  type PreparedKindName,
  type RequestContext,
  type RightChange,
} from '@holdfast/contracts';
import { SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { newName, newPerson, operator, origin, personContext, request, withDirectory } from './directory.fixture.js';
import { insertApp } from './entitlements/people.fixture.js';

withDirectory();

/** Something prepared in an organization of its own, before the right to prepare it ends. */
interface Prepared {
  org: string;
  maker: string;
  /** Whether it still does what it was prepared for. */
  acts: () => Promise<boolean>;
  /** Gives the person or app that it is about rights that its maker may not give or take. */
  targetGains?: () => Promise<unknown>;
}
interface Row {
  prepare: (org: string) => Promise<Prepared>;
  /** Changes that do not concern the kind, and why. */
  unaffected?: Partial<Record<RightChange, string>>;
}

const asOperator = (org: string) => ['operator', testContext({ org, actor: operator })] as const;
const succeeds = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    () => false,
  );
const noRequest = 'no request of a suspended organization is let in';

async function newProgram(org: string): Promise<{ id: string; context: RequestContext }> {
  const given = { org, name: newName('program'), kind: 'service' as const, scopes: ['apps:manage'] };
  const { app } = await request(createApp, given, ...asOperator(org));
  return { id: app.clientId, context: testContext({ org, actor: { type: 'app', id: app.clientId } }) };
}

/** An app that a program makes, and what auth sees of it. */
async function madeApp(org: string, kind: 'web' | 'spa') {
  const program = await newProgram(org);
  const redirectUris = ['https://program.example/in'];
  const given = { app: { name: newName('made'), kind, redirectUris } };
  const { app } = await request(adminCreateApp, given, 'gateway', program.context);
  const client = () => request(getClient, { clientId: app.clientId }, 'auth', testContext({ org, actor: operator }));
  return { maker: program.id, app, client };
}

const rows: Partial<Record<PreparedKindName, Row>> = {
  link: {
    async prepare(org) {
      const { id: maker } = await newPerson({ org, roles: ['admin'] });
      const given = { email: `${randomUUID()}@example.com`, name: 'X', roles: ['support' as const] };
      const invited = await request(invitePerson, given, 'gateway', personContext(maker, org));
      const token = invited.invitationUrl.split('#')[1]!;
      const anonymous = testContext({ org, actor: { type: 'anonymous', id: 'anonymous' } });
      return {
        org,
        maker,
        acts: () =>
          request(getInvitation, { token }, 'gateway', anonymous).then(
            ({ state }) => state === 'open',
            () => false,
          ),
        targetGains: () => request(changeRoles, { person: invited.user.id, roles: ['owner'] }, ...asOperator(org)),
      };
    },
  },
  app: {
    async prepare(org) {
      const { maker, client } = await madeApp(org, 'spa');
      const acts = async () => {
        const { app, orgSuspended } = await client();
        return !app.disabled && !orgSuspended && app.redirectUris.length > 0;
      };
      return { org, maker, acts };
    },
    unaffected: { 'the target gains rights': 'a public app can hold no scope; of a web app see clientSecret' },
  },
  clientSecret: {
    async prepare(org) {
      const { maker, app, client } = await madeApp(org, 'web');
      const { clientId, secret } = app;
      return {
        org,
        maker,
        acts: async () => {
          const { secrets, orgSuspended } = await client();
          return !orgSuspended && secrets.some(({ id }) => id === secret!.id);
        },
        async targetGains() {
          const grant = () => request(grantOperations, { clientId, operations: ['issued:read'] }, ...asOperator(org));
          await expect(grant()).rejects.toMatchObject({ code: 'invalid_state' });
          await request(createSecret, { clientId }, ...asOperator(org));
          await request(revokeSecret, { clientId, secretId: secret!.id }, ...asOperator(org));
          await grant();
        },
      };
    },
  },
  accessRequest: {
    async prepare(org) {
      const { id: maker } = await newPerson({ org });
      const { id: approver } = await newPerson({ org, roles: ['approver'] });
      const accessRequest = { app: await insertApp({ org }), reason: 'On call', durationSeconds: 3600 };
      const made = await request(createAccessRequest, { accessRequest }, 'gateway', personContext(maker, org));
      const approve = { id: made.accessRequest.id, approval: {} };
      return {
        org,
        maker,
        acts: () => succeeds(request(approveAccessRequest, approve, 'gateway', personContext(approver, org))),
      };
    },
    unaffected: {
      'the person loses the role': 'every active person may request access',
      'the organization is suspended': noRequest,
      'the target gains rights': 'somebody else approves it, and knows what the app is by then',
    },
  },
  passkeyCeremony: {
    async prepare(org) {
      const { id: maker } = await newPerson({ org, roles: ['support'] });
      const context = personContext(maker, org);
      const { options } = await request(beginPasskeyAddition, { organizationName: 'Acme' }, 'gateway', context);
      const response = new SoftwareAuthenticator().register(options, { origin });
      const complete = () => request(completePasskeyAddition, { response }, 'gateway', personContext(maker, org));
      return { org, maker, acts: () => succeeds(complete()) };
    },
    unaffected: {
      'the person loses the role': 'every active person adds passkeys of their own',
      'the organization is suspended': noRequest,
      'the target gains rights': 'its maker is its target',
    },
  },
};

const changes: Record<RightChange, (of: Prepared) => Promise<unknown>> = {
  'the person loses the role': ({ maker: person, org }) =>
    request(changeRoles, { person, roles: [] }, ...asOperator(org)),
  'the person is deactivated': ({ maker: person, org }) =>
    request(setPersonActive, { person, active: false }, ...asOperator(org)),
  'the person is removed': ({ maker: person, org }) => request(removePerson, { person }, ...asOperator(org)),
  'the grant is removed': ({ maker: clientId, org }) =>
    request(ungrantOperations, { clientId, operations: ['apps:manage'] }, ...asOperator(org)),
  'the app is disabled': ({ maker: clientId, org }) =>
    request(disableApp, { clientId, disabled: true }, ...asOperator(org)),
  'the app is deleted': ({ maker: clientId, org }) => request(deleteApp, { clientId }, ...asOperator(org)),
  'the organization is suspended': ({ org: shortId }) =>
    request(suspendOrganization, { shortId, suspended: true }, ...asOperator(shortId)),
  'the target gains rights': ({ targetGains }) => targetGains!(),
};

const kinds = Object.entries(preparedKinds).flatMap(([kind, of]) =>
  'test' in of && of.test === 'apps/directory/src/prepared.int.spec.ts' ? [kind as PreparedKindName] : [],
);
let organizations = 0;
async function newOrganization(): Promise<string> {
  const shortId = `prepared-${(organizations += 1)}`;
  await request(createOrganization, { shortId, name: shortId });
  return shortId;
}

it('every kind of prepared thing that directory owns has a row', () => {
  expect(Object.keys(rows).sort()).toEqual([...kinds].sort());
});

describe.each(kinds)('what was prepared: %s', (kind) => {
  const { prepare, unaffected = {} } = rows[kind]!;
  const affected = rightChangesOf(kind).filter((change) => !(change in unaffected));

  it('acts while nothing has changed', async () => {
    expect(await (await prepare(await newOrganization())).acts()).toBe(true);
  });

  it.each(affected)('does nothing after %s', async (change) => {
    const prepared = await prepare(await newOrganization());
    await changes[change](prepared);
    expect(await prepared.acts()).toBe(false);
  });
});
