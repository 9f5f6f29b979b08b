import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  approveAccessRequest,
  createAccessRequest,
  denyAccessRequest,
  getAccessRequest,
  listAccessRequests,
  maxAccessRequestsPerDay,
  peopleWithAccess,
  withdrawAccessRequest,
  type AccessRequest,
  type RequestContext,
} from '@holdfast/contracts';
import { eventually, FakeClock, randomSequence, testContext } from '@holdfast/testing';
import { database, eventOf, events, newPerson, personContext, request, withDirectory } from '../directory.fixture.js';
import { insertApp } from '../entitlements/people.fixture.js';

const clock = new FakeClock(new Date());
withDirectory('http://localhost', clock);

const program = () => testContext({ actor: { type: 'app', id: 'app_approver' } });
const make = async (person: string, app: string, context: RequestContext = personContext(person)) => {
  const accessRequest = { app, reason: 'On call', durationSeconds: 3600 };
  return (await request(createAccessRequest, { accessRequest }, 'gateway', context)).accessRequest;
};
const approve = (id: string, context: RequestContext = program(), durationSeconds?: number) =>
  request(
    approveAccessRequest,
    { id, approval: durationSeconds === undefined ? {} : { durationSeconds } },
    'gateway',
    context,
  );
const deny = (id: string, context: RequestContext = program()) =>
  request(denyAccessRequest, { id, denial: { reason: 'Not now' } }, 'gateway', context);
const withdraw = (id: string, context: RequestContext) => request(withdrawAccessRequest, { id }, 'gateway', context);
const get = (id: string) => request(getAccessRequest, { id }, 'gateway', program());
const mayUse = async (person: string, clientId: string) =>
  (await request(peopleWithAccess, { clientId, people: [person] }, 'auth', testContext())).people.length === 1;
const codeOf = (code: string) => expect.objectContaining({ code });

describe('an access request', () => {
  it('that is approved for a shorter time gives access until that second, and says who decided', async () => {
    const [{ id: person }, app] = [await newPerson(), await insertApp()];
    const [created, approved] = [personContext(person), program()];
    const made = await make(person, app, created);
    expect(made).toMatchObject({ user: person, app, reason: 'On call', status: 'pending', durationSeconds: 3600 });
    const { accessRequest } = await approve(made.id, approved, 600);
    expect(accessRequest).toMatchObject({
      status: 'approved',
      grantedSeconds: 600,
      assignment: expect.any(String),
      decidedBy: { type: 'app', id: 'app_approver' },
    });
    expect(await eventOf(created.auditId)).toMatchObject({
      type: 'access_request.created',
      audit: { action: 'access_request.create', changes: { reason: { to: 'On call' } } },
    });
    const last = await eventOf(approved.auditId);
    const { assignment } = accessRequest;
    expect(last).toMatchObject({
      type: 'assignment.created',
      data: { assignment, user: person, app, expiresAt: new Date(clock.now().getTime() + 600_000).toISOString() },
      audit: { action: 'access_request.approve', changes: { durationSeconds: { from: 3600, to: 600 } } },
    });
    const first = events.find(({ requestId, type }) => requestId === last.requestId && type.endsWith('approved'))!;
    expect([first.data, first.version]).toEqual([
      { accessRequest: made.id, user: person, app, assignment },
      last.version - 1,
    ]);
    clock.advance(599_999);
    expect(await mayUse(person, app)).toBe(true);
    clock.advance(1);
    expect(await mayUse(person, app)).toBe(false);
    await eventually(() =>
      events.some(
        ({ type, data }) => type === 'assignment.ended' && (data as { assignment: string }).assignment === assignment,
      ),
    );
  });

  it('is never decided by the person who made it, and withdrawn by nobody else', async () => {
    const [{ id: person }, { id: other }, app] = [
      await newPerson({ roles: ['owner'] }),
      await newPerson({ roles: ['owner'] }),
      await insertApp(),
    ];
    const { id } = await make(person, app);
    await expect(approve(id, personContext(person))).rejects.toEqual(codeOf('own_request'));
    await expect(deny(id, personContext(person))).rejects.toEqual(codeOf('own_request'));
    await expect(withdraw(id, personContext(other))).rejects.toEqual(codeOf('unknown_access_request'));
    await expect(withdraw(id, testContext({ actor: { type: 'app', id: person } }))).rejects.toEqual(
      codeOf('unknown_access_request'),
    );
    await expect(deny(id, personContext(other))).resolves.toMatchObject({
      accessRequest: { status: 'denied', decisionReason: 'Not now', decidedBy: { type: 'person', id: other } },
    });
    await expect(withdraw(id, personContext(person))).rejects.toMatchObject({
      code: 'invalid_state',
      detail: expect.stringContaining('is denied since'),
    });
    await database.query('DELETE FROM directory.person WHERE id = $1', [other]);
    expect((await get(id)).decidedBy).toEqual({ type: 'person' });
  });

  it('is made by a person only, for an enabled app of people, once at a time, and so many a day', async () => {
    const [{ id: person }, app] = [await newPerson(), await insertApp()];
    const invalid = codeOf('invalid_request');
    await expect(make(person, await insertApp({ audience: 'customers' }))).rejects.toEqual(invalid);
    await expect(make(person, await insertApp({ disabled: true }))).rejects.toEqual(invalid);
    await expect(make(person, 'hub_acme')).rejects.toEqual(invalid);
    await expect(make(person, app, program())).rejects.toEqual(codeOf('insufficient_scope'));
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => make(person, app)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (let i = 1; i < maxAccessRequestsPerDay; i += 1) await make(person, await insertApp());
    await expect(make(person, await insertApp())).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 86_400 });
    const stored = await database.query('SELECT reason FROM directory.access_request WHERE person_id = $1', [person]);
    expect([stored.length, JSON.stringify(stored).includes('On call')]).toEqual([maxAccessRequestsPerDay, false]);
  });

  it('of a person or app that was deactivated or disabled meanwhile is answered 409', async () => {
    const [{ id: person }, app] = [await newPerson(), await insertApp()];
    const { id } = await make(person, app);
    const set = (sql: string, key: string) => database.query(`UPDATE directory.${sql}`, [key]);
    await set(`person SET status = 'deactivated' WHERE id = $1`, person);
    await expect(approve(id)).rejects.toMatchObject({ code: 'invalid_state', detail: /person is not active/ });
    await set(`person SET status = 'active' WHERE id = $1`, person);
    await set('app SET disabled = true WHERE client_id = $1', app);
    await expect(approve(id)).rejects.toMatchObject({ code: 'invalid_state', detail: /app is disabled/ });
    await set('app SET disabled = false WHERE client_id = $1', app);
    await expect(approve(id, program(), 7200)).rejects.toMatchObject({ status: 422 });
    await expect(approve(id)).resolves.toMatchObject({ accessRequest: { status: 'approved' } });
    await expect(approve(randomUUID())).rejects.toEqual(codeOf('unknown_access_request'));
    await expect(approve(id, testContext({ org: 'other' }))).rejects.toEqual(codeOf('unknown_access_request'));
  });

  it('has exactly one outcome of many concurrent decisions and its expiration', async () => {
    const seed = Date.now() % 1_000_000;
    const random = randomSequence(seed);
    for (let round = 0; round < 6; round += 1) {
      const [{ id: person }, app] = [await newPerson(), await insertApp()];
      const made = await make(person, app);
      const from = events.length;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) => {
          if (i === 6 && round % 2 === 1) clock.set(new Date(made.expiresAt));
          const which = random(3);
          return which === 0
            ? approve(made.id)
            : which === 1
              ? deny(made.id)
              : withdraw(made.id, personContext(person));
        }),
      );
      const refused = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason as { code: string }] : [],
      );
      expect([seed, refused.filter(({ code }) => code !== 'invalid_state')]).toEqual([seed, []]);
      const decided = await eventually(async () => {
        const found = await get(made.id);
        return found.status === 'pending' ? false : found;
      });
      const own = await eventually(() => {
        const found = events
          .slice(from)
          .filter(({ user, type }) => user === person && type.startsWith('access_request.'));
        return found.length > 0 ? found : false;
      });
      expect([seed, own.map(({ type }) => type)]).toEqual([seed, [`access_request.${decided.status}`]]);
      expect([seed, outcomes.length - refused.length]).toEqual([seed, decided.status === 'expired' ? 0 : 1]);
      expect([seed, await mayUse(person, app)]).toEqual([seed, decided.status === 'approved']);
    }
  });

  it('is listed newest first with any filters, and to its person', async () => {
    const [{ id: person }, { id: other }] = [await newPerson(), await newPerson()];
    const apps = [await insertApp(), await insertApp(), await insertApp()];
    const made: AccessRequest[] = [];
    for (const app of apps) made.unshift(await make(person, app));
    made.unshift(await make(other, apps[0]!));
    await deny(made[2]!.id);
    const list = async (filter: object, context = program()) => {
      const { items } = await request(listAccessRequests, { limit: 200, ...filter }, 'gateway', context);
      return items.map(({ id }) => id).filter((id) => made.some((r) => r.id === id));
    };
    const ids = (...places: number[]) => places.map((i) => made[i]!.id);
    expect(await list({})).toEqual(ids(0, 1, 2, 3));
    expect(await list({ user: person })).toEqual(ids(1, 2, 3));
    expect(await list({ app: apps[0]! })).toEqual(ids(0, 3));
    expect(await list({ status: 'denied' })).toEqual(ids(2));
    expect(await list({ status: 'pending', user: person })).toEqual(ids(1, 3));
    expect(await list({ mine: true }, personContext(person))).toEqual(ids(1, 2, 3));
    expect(await list({ mine: true, status: 'denied' }, personContext(other))).toEqual([]);
    expect(await list({ mine: true })).toEqual([]);
    expect(await list({}, testContext({ org: 'other' }))).toEqual([]);
  });
});
