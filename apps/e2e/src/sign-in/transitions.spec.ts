// Product §5, "States": every legal and illegal transition by the API, with its effect on reads, sign-in, events and
// records.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { beginClaim, claim, newCustomer, readClaim, signIn, tokenOf, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let shop: RelyingParty;
let app: Client;
let auditor: Client;
let kiosk: Client;
beforeAll(async () => {
  const org = await stack.newOrganization();
  await stack.operator('type', 'create', org, 'pass', '--validity', 'PT1H', '--no-revocable');
  const [auditing, other] = await Promise.all([
    stack.newApp(org, 'automation', ['audit:read', 'webhooks:manage'], 'service'),
    stack.newApp(org, 'kiosk', customerScopes),
  ]);
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  app = new Client(stack, { ...shop.app, scopes: customerScopes }, customerScopes);
  auditor = new Client(stack, auditing, ['audit:read', 'webhooks:manage']);
  kiosk = new Client(stack, other, customerScopes);
});
afterAll(closeConnections);

const transitions = ['suspend', 'resume', 'revoke'] as const;
const conflict = (code: string) => ({ status: 409, body: { code } });
const same = { headers: { 'x-request-id': 'same' } };

/** The result of a sign-in: `code`, or the error that the app receives. */
async function signInResult({ authenticator }: Customer): Promise<string> {
  const { url } = await shop.begin();
  const { location } = await signIn(new UserAgent(stack.baseUrl), url, authenticator);
  const response = new URL(location).searchParams;
  return response.get('error') ?? (response.has('code') ? 'code' : location);
}

/** The state of a customer's only credential in all reads, which must agree. */
async function stateOf({ subject, credentialId }: Customer) {
  const [{ body: credential }, { body: full }, list] = await Promise.all([
    app.issued(credentialId),
    app.get(subject),
    app.all(),
  ]);
  expect(full.credentials.find(({ id }) => id === credentialId)).toEqual(credential);
  const { live, openOffers } = list.find((s) => s.subject === subject)!;
  return { status: credential.status, live, openOffers };
}

describe('a credential', () => {
  it('has the same state in reads, sign-in, events and records after each transition', async () => {
    const ada = await newCustomer(app);
    const issued = { status: 'issued', live: 1, openOffers: 0 };
    expect(await stateOf(ada)).toEqual(issued);
    expect(await app.manage('resume', ada.credentialId)).toMatchObject({
      ...conflict('invalid_state'),
      body: { detail: 'The credential is issued.' },
    });

    const suspended = await app.manage('suspend', ada.credentialId, 'looking_into_it');
    expect(suspended).toMatchObject({
      status: 200,
      body: { id: ada.credentialId, status: 'suspended', holderId: ada.subject },
    });
    expect(await stateOf(ada)).toEqual({ status: 'suspended', live: 0, openOffers: 0 });
    expect(await signInResult(ada)).toBe('access_denied');
    expect(await app.manage('suspend', ada.credentialId)).toMatchObject({
      ...conflict('invalid_state'),
      body: { detail: 'The credential is suspended.' },
    });
    expect(await app.offer({ subject: ada.subject })).toMatchObject(conflict('invalid_state'));
    expect(await stateOf(ada)).toEqual({ status: 'suspended', live: 0, openOffers: 0 });

    expect((await app.manage('resume', ada.credentialId)).body).toMatchObject({ status: 'issued' });
    expect(await stateOf(ada)).toEqual(issued);
    expect(await signInResult(ada)).toBe('code');

    const revoked = await app.manage('revoke', ada.credentialId, 'lost_device');
    expect(revoked.body).toMatchObject({
      status: 'revoked',
      revokedReason: 'lost_device',
      revokedAt: expect.stringMatching(/Z$/),
    });
    expect(await stateOf(ada)).toEqual({ status: 'revoked', live: 0, openOffers: 0 });
    expect(await signInResult(ada)).toBe('access_denied');
    for (const transition of transitions)
      expect(await app.manage(transition, ada.credentialId)).toMatchObject({
        ...conflict('invalid_state'),
        body: { detail: 'The credential is revoked.' },
      });
    expect((await app.issued(ada.credentialId)).body).toEqual(revoked.body);

    const records = (await auditor.wholeLog({ target: ada.credentialId })).reverse();
    const changes = records.filter((r) =>
      transitions.some((name) => r.action === `credential.${name}` && r.outcome.result === 'success'),
    );
    expect(changes.map((r) => [r.action, r.actor.id, r.changes])).toEqual([
      [
        'credential.suspend',
        shop.app.clientId,
        { status: { from: 'issued', to: 'suspended' }, reason: { to: 'looking_into_it' } },
      ],
      ['credential.resume', shop.app.clientId, { status: { from: 'suspended', to: 'issued' } }],
      [
        'credential.revoke',
        shop.app.clientId,
        { status: { from: 'issued', to: 'revoked' }, reason: { to: 'lost_device' } },
      ],
    ]);
    const failures = records.filter((r) => r.outcome.result === 'failure').map((r) => [r.action, r.outcome.code]);
    expect(failures).toEqual(
      ['resume', 'suspend', ...transitions].map((name) => [`credential.${name}`, 'invalid_state']),
    );
    await eventually(async () => {
      const events = (await auditor.feed()).filter(({ data }) => data.subject === ada.subject);
      expect(events.map(({ type, version }) => [type, version])).toEqual([
        ['offer.created', 1],
        ['credential.issued', 2],
        ['credential.suspended', 3],
        ['credential.resumed', 4],
        ['credential.revoked', 5],
      ]);
      expect(events[2]!.data).toEqual({
        subject: ada.subject,
        credentialId: ada.credentialId,
        credentialType: 'customer',
      });
    });
  });

  it('that is not revocable can be revoked or withdrawn before the claim, and not changed after it', async () => {
    const ada = await newCustomer(app, new SoftwareAuthenticator(), { credentialType: 'pass' });
    for (const transition of ['suspend', 'revoke'] as const)
      expect(await app.manage(transition, ada.credentialId, 'why')).toMatchObject(conflict('not_revocable'));
    expect(await app.manage('resume', ada.credentialId)).toMatchObject(conflict('invalid_state'));
    expect(await stateOf(ada)).toEqual({ status: 'issued', live: 1, openOffers: 0 });
    const { body: withdrawn } = await app.offer({ credentialType: 'pass' });
    expect((await app.withdraw(withdrawn.offerId)).status).toBe(204);
    const { body: revoked } = await app.offer({ credentialType: 'pass' });
    expect(await app.manage('suspend', revoked.credentialId)).toMatchObject(conflict('invalid_state'));
    expect(await app.manage('revoke', revoked.credentialId)).toMatchObject({
      status: 200,
      body: { status: 'revoked' },
    });
    for (const { offerId, claimUrl } of [withdrawn, revoked]) {
      expect((await readClaim<{ state: string }>(app.app.org, tokenOf(claimUrl))).body.state).toBe('withdrawn');
      expect(await beginClaim(app.app.org, tokenOf(claimUrl))).toMatchObject({
        status: 410,
        body: { code: 'claim_withdrawn' },
      });
      expect(await app.withdraw(offerId)).toMatchObject(conflict('invalid_state'));
    }
  });

  it('can be recovered: the new passkey signs in to the same credential, and the old tokens end', async () => {
    const ada = await newCustomer(app, new SoftwareAuthenticator(), { credentialType: 'customer' });
    const before = await shop.signIn(ada.authenticator);
    const { body: recovery } = await app.offer<Offer>({ subject: ada.subject });
    expect(recovery.credentialId).toBe(ada.credentialId);
    expect(await stateOf(ada)).toEqual({ status: 'issued', live: 1, openOffers: 1 });
    const replacement = new SoftwareAuthenticator();
    expect((await claim(ada.org, tokenOf(recovery.claimUrl), replacement)).status).toBe(200);
    const after = await shop.signIn(replacement);
    const [credentialBefore, credentialAfter] = [before, after].map(
      ({ claims }) => claims.credential as Record<string, string>,
    );
    expect(after.claims.sub).toBe(ada.subject);
    expect({ ...credentialAfter, document_number: '' }).toEqual({ ...credentialBefore, document_number: '' });
    expect(credentialAfter!.document_number).not.toBe(credentialBefore!.document_number);
    expect((await shop.refresh(before.refreshToken)).json.error).toBe('invalid_grant');
  });

  it('loses its open recovery offer by a suspension, also after it is resumed', async () => {
    const ada = await newCustomer(app);
    const { body: recovery } = await app.offer<Offer>({ subject: ada.subject });
    await app.manage('suspend', ada.credentialId);
    expect(await stateOf(ada)).toEqual({ status: 'suspended', live: 0, openOffers: 0 });
    await app.manage('resume', ada.credentialId);
    expect((await claim(ada.org, tokenOf(recovery.claimUrl), new SoftwareAuthenticator())).body.code).toBe(
      'claim_withdrawn',
    );
    expect(await signInResult(ada)).toBe('code');
  });
});

describe('the routes of a credential', () => {
  it("answer 404 alike for another app's credential and for an unknown one", async () => {
    const ada = await newCustomer(app);
    for (const send of [
      (id: string) => kiosk.issued<Problem>(id, same),
      ...transitions.map((name) => (id: string) => kiosk.manage<Problem>(name, id, undefined, same)),
    ]) {
      const [foreign, absent] = await Promise.all([send(ada.credentialId), send(randomUUID())]);
      expect(foreign).toMatchObject({ status: 404, body: { code: 'unknown_credential' } });
      expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
    }
    expect(await stateOf(ada)).toEqual({ status: 'issued', live: 1, openOffers: 0 });
    await app.erase(ada.subject);
    for (const reply of [await app.issued(ada.credentialId), await app.manage('revoke', ada.credentialId)])
      expect(reply).toMatchObject({ status: 404, body: { code: 'unknown_credential' } });
  });

  it('require issued:manage for changes and issued:read for reads', async () => {
    const missing = { status: 403, body: { code: 'insufficient_scope' } };
    const { body } = await app.offer();
    expect((await app.with('issued:read').issued(body.credentialId)).status).toBe(200);
    expect(await app.with('offers:write', 'issued:manage').issued(body.credentialId)).toMatchObject(missing);
    for (const transition of transitions)
      expect(await app.with('offers:write', 'issued:read').manage(transition, body.credentialId)).toMatchObject(
        missing,
      );
  });

  it.each([{ reason: '' }, { reason: '   ' }, { reason: 'x'.repeat(201) }, { reason: 7 }, { reasons: 'x' }, []])(
    'reject the body %j and change nothing',
    async (json) => {
      const { body } = await app.offer();
      expect(await app.manage('revoke', body.credentialId, undefined, { json })).toMatchObject({
        status: 422,
        body: { code: 'invalid_request' },
      });
      expect((await app.issued(body.credentialId)).body.status).toBe('offered');
    },
  );

  it.each(['x', '1', '%00', "'--"])('reject the identifier %s', async (id) => {
    expect([400, 404]).toContain((await app.issued(id)).status);
    expect([400, 404]).toContain((await app.manage('suspend', id)).status);
  });
});
