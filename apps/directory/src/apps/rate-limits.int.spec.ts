import { describe, expect, test } from '@jest/globals';
import { createOrganization, getApp, getClient, limitApp, limitOrganization } from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { eventOf, newApp, operator, request, withDirectory } from '../directory.fixture.js';

withDirectory();

const clientOf = (clientId: string) => request(getClient, { clientId }, 'auth');

describe('rate limits of an app', () => {
  test('are those of the operator for the app, else for its organization, else absent', async () => {
    await request(createOrganization, { shortId: 'limits', name: 'Limits' });
    const { app } = await newApp('service', [], 'limits');
    const { clientId } = app;
    expect(await clientOf(clientId)).not.toHaveProperty('rateLimits');
    await request(limitOrganization, { shortId: 'limits', rateLimits: { read: 10, write: 20 } });
    await request(limitApp, { clientId, rateLimits: { write: 30, client: 40 } });
    expect(await clientOf(clientId)).toMatchObject({
      rateLimits: { read: 10, write: 30, client: 40 },
      app: { rateLimits: { write: 30, client: 40 }, version: app.version + 1 },
    });
    await request(limitApp, { clientId, rateLimits: { write: null } });
    expect((await clientOf(clientId)).rateLimits).toEqual({ read: 10, write: 20, client: 40 });
    await request(limitApp, { clientId, rateLimits: { client: null } });
    await request(limitOrganization, { shortId: 'limits', rateLimits: { read: null, write: null } });
    expect(await clientOf(clientId)).not.toHaveProperty('rateLimits');
    expect(await request(getApp, { clientId })).not.toHaveProperty('rateLimits');
  });

  test('are changed with an event and a record of what they were', async () => {
    const { app } = await newApp('service');
    await request(limitApp, { clientId: app.clientId, rateLimits: { read: 1 } });
    const context = testContext({ actor: operator });
    await request(limitApp, { clientId: app.clientId, rateLimits: { read: 2 } }, 'operator', context);
    expect(await eventOf(context.auditId)).toMatchObject({
      type: 'app.updated',
      audit: {
        action: 'app.update',
        actor: operator,
        targets: [{ type: 'app', id: app.clientId }],
        changes: { rateLimits: { from: { read: 1 }, to: { read: 2 } } },
      },
    });
    const ofOrganization = testContext({ actor: operator });
    await request(limitOrganization, { shortId: 'acme', rateLimits: { read: 3 } }, 'operator', ofOrganization);
    expect((await eventOf(ofOrganization.auditId)).audit).toMatchObject({
      action: 'organization.update',
      changes: { rateLimits: { from: {}, to: { read: 3 } } },
    });
    await request(limitOrganization, { shortId: 'acme', rateLimits: { read: null } });
  });

  test.each([{ read: 0 }, { read: 1.5 }, { read: 1_000_000_001 }, { claim: 5 }])('cannot be %j', async (rateLimits) => {
    const { app } = await newApp('service');
    await expect(request(limitApp, { clientId: app.clientId, rateLimits })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('of an unknown app or organization answer that it is unknown', async () => {
    await expect(request(limitApp, { clientId: 'app_nobody', rateLimits: { read: 1 } })).rejects.toMatchObject({
      code: 'unknown_app',
    });
    await expect(request(limitOrganization, { shortId: 'nobody', rateLimits: { read: 1 } })).rejects.toMatchObject({
      code: 'unknown_organization',
    });
  });
});
