import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  adminChangeGrants,
  adminCreateApp,
  adminOperations,
  hubClientId,
  neverGrantable,
  type Actor,
  type RequestOf,
} from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { entryOf, eventOf, newApp, newName, request, withDirectory } from '../../directory.fixture.js';

withDirectory();

const person = (): Actor => ({ type: 'person', id: randomUUID() });
const as = (actor: Actor = person(), org = 'acme') => testContext({ org, actor });
type Given = Partial<RequestOf<typeof adminChangeGrants>>;
const change = (clientId: string, given: Given = {}, context = as()) =>
  request(
    adminChangeGrants,
    { clientId, granted: true, operations: ['issued:read'], mayManageGrants: true, ...given },
    'gateway',
    context,
  );

describe('grants by a person', () => {
  test('are given and taken, with a record that names the person, and taking revokes tokens', async () => {
    const { clientId } = (await newApp('web')).app;
    const context = as();
    const { app } = await change(clientId, { operations: ['offers:write', 'issued:read'] }, context);
    expect(app.scopes).toEqual(['issued:read', 'offers:write']);
    expect((await eventOf(context.auditId)).audit).toMatchObject({
      action: 'app.grant',
      actor: context.actor,
      targets: [{ type: 'app', id: clientId }],
      changes: { scopes: { from: [], to: ['issued:read', 'offers:write'] } },
    });
    expect((await change(clientId, { granted: false })).app.scopes).toEqual(['offers:write']);
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 3 });
  });

  test('are refused to programs and to people without the operation, for every app', async () => {
    const { clientId } = (await newApp('service')).app;
    const program: Actor = { type: 'app', id: clientId };
    for (const [given, context] of [
      [{}, as(program)],
      [{ mayManageGrants: false }, as()],
      [{ granted: false }, as({ type: 'system', id: 'x' })],
    ] as const)
      await expect(change(clientId, given, context)).rejects.toMatchObject({ code: 'app_protected' });
  });

  test('never give what no app may hold, nor touch the hub or another organization', async () => {
    const { app } = await newApp('service');
    for (const operation of [...neverGrantable, 'no:such'])
      await expect(change(app.clientId, { operations: ['users:read', operation] })).rejects.toMatchObject({
        code: 'not_grantable',
      });
    await expect(change(hubClientId('acme'))).rejects.toMatchObject({ code: 'app_protected' });
    await expect(change(app.clientId, {}, as(person(), 'globex'))).rejects.toMatchObject({ code: 'unknown_app' });
  });

  test('make a service app that a person creates able to act, and nobody else creates one', async () => {
    const create = (mayManageGrants: boolean, actor: Actor) =>
      request(
        adminCreateApp,
        { app: { name: newName('service'), kind: 'service' }, mayManageGrants },
        'gateway',
        as(actor),
      );
    for (const [mayManageGrants, actor] of [
      [true, { type: 'app', id: 'app_1' }],
      [false, person()],
    ] as const)
      await expect(create(mayManageGrants, actor)).rejects.toMatchObject({ code: 'app_protected' });
    const { app } = await create(true, person());
    expect(app).toMatchObject({ kind: 'service', scopes: [], secret: { clientSecret: expect.any(String) } });
    const operations = Object.keys(adminOperations);
    expect((await change(app.clientId, { operations })).app.scopes).toEqual(operations.toSorted());
  });
});
