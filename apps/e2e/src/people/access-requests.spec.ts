// People request access to an app for a time, and others decide: by sessions of the hub, from the request to the
// sign-in (product §6). What ends by time is in clock.spec.ts.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccessRequest, Entitlement } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client, type Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { HubUser } from './person.fixture.ts';

const path = '/access-requests';
const week = 604_800;

let org: string;
let desk: RelyingParty;
let observer: Client;
let ann: HubUser;
let bo: HubUser;
let cleo: HubUser;

beforeAll(async () => {
  org = await stack.newOrganization();
  const grants = ['audit:read', 'webhooks:manage'];
  [desk, ann, bo, cleo] = await Promise.all([
    RelyingParty.make(org, 'desk', { audience: 'people' }),
    HubUser.make(org),
    HubUser.make(org, ['approver']),
    HubUser.make(org, ['admin']),
  ]);
  observer = new Client(stack, await stack.newApp(org, 'observer', grants, 'service'));
});
afterAll(closeConnections);

type Outcome = AccessRequest & Omit<Problem, 'status'>;

const requestAccess = <Body = Outcome>(by: HubUser, given: object = {}) =>
  by.call<Body>('POST', path, {
    app: desk.app.clientId,
    reason: 'On call this week',
    durationSeconds: week,
    ...given,
  });
const requested = async (by = ann) => {
  const { status, body } = await requestAccess(by);
  expect(status).toBe(201);
  return body.id;
};
const decide = (by: HubUser, id: string, verb: 'approve' | 'deny' | 'withdraw', json?: object) =>
  by.call<Outcome>('POST', `${path}/${id}/${verb}`, json ?? (verb === 'deny' ? { reason: 'Not now' } : undefined));
const mine = async (by = ann) => (await by.call<Page<AccessRequest>>('GET', `${path}/mine`)).body.items;
const entitlements = async (by = cleo) =>
  (await by.call<Page<Entitlement>>('GET', `/entitlements?app=${desk.app.clientId}`)).body.items;
const recordsOf = async (id: string) =>
  (await observer.wholeLog({ target: id }))
    .reverse()
    .map(({ action, actor, outcome }) => `${action} ${actor.type} ${outcome.code ?? outcome.result}`);
/** Types of the events about an access request, and all that the feed says about it. */
const eventsOf = (id: string, count: number) =>
  eventually(async () => {
    const about = (await observer.feed()).filter(
      ({ data }) => (data as { accessRequest?: string }).accessRequest === id,
    );
    return about.length >= count && { types: about.map(({ type }) => type), text: JSON.stringify(about) };
  }, `${count} events about an access request`);
/** Ends what an approval has given, so that the next test begins without it. */
const endAll = async () => {
  for (const { accessRequest, user } of await entitlements()) {
    const { body } = await cleo.call<AccessRequest>('GET', `${path}/${accessRequest}`);
    await cleo.call('DELETE', `/apps/${desk.app.clientId}/assignments/${body.assignment}`);
    expect((await entitlements()).map((one) => one.user)).not.toContain(user);
  }
};

describe('an access request', () => {
  afterEach(endAll);

  it('is made by the person, listed for approvers, approved for less, and then opens the app', async () => {
    const agent = new UserAgent(stack.baseUrl);
    await expect(desk.signIn(ann.person.authenticator, { agent })).rejects.toThrow('not_assigned');

    const made = await requestAccess(ann);
    expect([made.status, made.body]).toMatchObject([
      201,
      { user: ann.id, app: desk.app.clientId, status: 'pending', durationSeconds: week, reason: 'On call this week' },
    ]);
    const { id } = made.body;
    expect((await requestAccess(ann)).body.code).toBe('conflict');
    expect(await mine()).toEqual([made.body]);
    expect(await mine(bo)).toEqual([]);
    const pending = await bo.call<Page<AccessRequest>>('GET', `${path}?status=pending&user=${ann.id}`);
    expect(pending.body.items).toEqual([made.body]);
    for (const at of [path, `${path}/${id}`]) expect((await ann.call('GET', at)).body.code).toBe('insufficient_scope');

    const longer = await decide(bo, id, 'approve', { durationSeconds: week + 1 });
    expect([longer.status, longer.body.errors?.[0]?.pointer]).toEqual([422, '#/durationSeconds']);
    const approved = await decide(bo, id, 'approve', { durationSeconds: 3600 });
    expect(approved).toMatchObject({
      status: 200,
      body: { status: 'approved', grantedSeconds: 3600, decidedBy: { type: 'person', id: bo.id } },
    });
    const [entitlement] = await entitlements();
    expect(entitlement).toMatchObject({ user: ann.id, path: 'request', accessRequest: id });
    const lastsMs = Date.parse(entitlement!.expiresAt!) - Date.parse(approved.body.decidedAt!);
    expect(lastsMs).toBe(3_600_000);
    const { claims } = await desk.signIn(ann.person.authenticator);
    expect(claims.sub).toBe(ann.id);

    expect(await recordsOf(id)).toEqual([
      'access_request.create person success',
      'access_request.approve person invalid_request',
      'access_request.approve person success',
    ]);
    const { types, text } = await eventsOf(id, 2);
    expect(types).toEqual(['access_request.created', 'access_request.approved']);
    expect(text).not.toContain('On call');
  });

  it('is denied with a reason that the person reads, and is final', async () => {
    const id = await requested();
    expect((await decide(bo, id, 'deny', {})).status).toBe(422);
    const denied = await decide(bo, id, 'deny', { reason: 'Ask the owner of the app first' });
    expect(denied).toMatchObject({ status: 200, body: { status: 'denied', decidedBy: { id: bo.id } } });
    expect((await mine())[0]).toMatchObject({ id, status: 'denied', decisionReason: 'Ask the owner of the app first' });
    for (const [by, verb] of [
      [cleo, 'approve'],
      [cleo, 'deny'],
      [ann, 'withdraw'],
    ] as const) {
      const late = await decide(by, id, verb);
      expect([verb, late.status, late.body.code]).toEqual([verb, 409, 'invalid_state']);
      expect(late.body.detail).toContain('denied');
    }
    expect(await entitlements()).toEqual([]);
    const { types, text } = await eventsOf(id, 2);
    expect(types).toEqual(['access_request.created', 'access_request.denied']);
    expect(text).not.toContain('Ask the owner');
  });

  it('is withdrawn by the person alone, and is not decided afterwards', async () => {
    const id = await requested();
    for (const by of [bo, cleo]) {
      const foreign = await decide(by, id, 'withdraw');
      expect([foreign.status, foreign.body.code]).toEqual([404, 'unknown_access_request']);
    }
    expect(await decide(ann, id, 'withdraw')).toMatchObject({ status: 200, body: { status: 'withdrawn' } });
    for (const verb of ['approve', 'deny'] as const) {
      const late = await decide(bo, id, verb);
      expect([late.status, late.body.code]).toEqual([409, 'invalid_state']);
      expect(late.body.detail).toContain('withdrawn');
    }
    expect(await recordsOf(id)).toEqual([
      'access_request.create person success',
      ...Array<string>(2).fill('access_request.withdraw person unknown_access_request'),
      'access_request.withdraw person success',
      'access_request.approve person invalid_state',
      'access_request.deny person invalid_state',
    ]);
    expect((await eventsOf(id, 2)).types).toEqual(['access_request.created', 'access_request.withdrawn']);
  });

  it.each(['approver', 'admin'])('of an %s is decided by somebody else', async (role) => {
    const [by, other] = role === 'admin' ? [cleo, bo] : [bo, cleo];
    const id = await requested(by);
    for (const verb of ['approve', 'deny'] as const) {
      const own = await decide(by, id, verb);
      expect([own.status, own.body.code]).toEqual([403, 'own_request']);
    }
    expect((await mine(by))[0]).toMatchObject({ id, status: 'pending' });
    expect((await decide(other, id, 'approve')).body).toMatchObject({ status: 'approved', grantedSeconds: week });
    expect(await recordsOf(id)).toEqual([
      'access_request.create person success',
      'access_request.approve person own_request',
      'access_request.deny person own_request',
      'access_request.approve person success',
    ]);
  });

  it('of several decisions at once gets exactly one; the others get the outcome', async () => {
    const won = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      const id = await requested();
      const replies = await Promise.all([
        decide(bo, id, 'approve'),
        decide(cleo, id, 'deny'),
        decide(cleo, id, 'approve'),
        decide(ann, id, 'withdraw'),
        decide(bo, id, 'deny'),
      ]);
      const [winner, ...more] = replies.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      const { status } = winner!.body;
      won.add(status);
      for (const { status: code, body } of replies.filter((reply) => reply !== winner)) {
        expect([code, body.code]).toEqual([409, 'invalid_state']);
        expect(body.detail).toContain(`is ${status} since`);
      }
      expect((await mine())[0]).toMatchObject({ id, status });
      expect(await entitlements()).toHaveLength(status === 'approved' ? 1 : 0);
      const { types } = await eventsOf(id, 2);
      expect(types).toEqual(['access_request.created', `access_request.${status}`]);
      await endAll();
    }
    process.stdout.write(`Outcomes of decisions at once: ${[...won].join(', ')}\n`);
  });

  it('that is garbage is a clear 4xx, and nothing is stored', async () => {
    const before = await mine();
    const shop = await stack.newApp(org, 'shop', []);
    for (const given of [
      { reason: '' },
      { reason: 'a\u0000b' },
      { reason: 'x'.repeat(501) },
      { durationSeconds: 299 },
      { durationSeconds: 7_776_001 },
      { durationSeconds: 3600.5 },
      { durationSeconds: '3600' },
      { app: shop.clientId },
      { app: 'app_Ab3dE6gH9jK2mN5pQ8sT1v' },
      { app: stack.app('acme', 'staff').clientId },
      { user: bo.id },
      { status: 'approved' },
    ]) {
      const { status, body } = await requestAccess<Problem>(ann, given);
      expect([given, status, body.code]).toEqual([given, 422, 'invalid_request']);
    }
    for (const query of ['?status=open', '?user=x', '?limit=0', '?next_page_token=x', '?q=a'])
      expect((await bo.call('GET', `${path}${query}`)).status).toBe(400);
    for (const id of ['x', '%00', `${randomUUID()}x`]) expect((await decide(bo, id, 'approve')).status).toBe(400);
    expect((await decide(bo, randomUUID(), 'approve')).body.code).toBe('unknown_access_request');
    expect(await mine()).toEqual(before);
  });
});
