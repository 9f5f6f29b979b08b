import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PNG } from 'pngjs';
import {
  adminCreateApp,
  adminUpdateApp,
  createApp,
  deleteApp,
  getApp,
  getClient,
  organizationLogo,
  updateApp,
  updateOrganization,
  type AppPatch,
} from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { database, eventOf, newName, operator, request, withDirectory } from '../directory.fixture.js';

withDirectory();

const logoOf = (value: number): string => {
  const image = new PNG({ width: 8, height: 8 });
  image.data.fill(value);
  return PNG.sync.write(image).toString('base64');
};
const shop = { org: 'acme', kind: 'web' as const, redirectUris: ['https://shop.example/in'] };
const addresses = { startUri: 'https://shop.example/', helpUri: 'https://shop.example/help' };
const logoIdOf = ({ logoPath }: { logoPath?: string | undefined }) => logoPath!.split('/').at(-1)!;
const served = (logoId: string, shortId = 'acme') => request(organizationLogo, { shortId, logoId }, 'gateway');
const storedLogos = async (clientId: string) =>
  (await database.query<{ id: string }>('SELECT id FROM directory.app_logo WHERE client_id = $1', [clientId])).map(
    ({ id }) => id,
  );

describe('the branding of an app', () => {
  test('is set by the operator, read by auth, recorded without the picture, and removed by null', async () => {
    const created = testContext({ actor: operator });
    const branding = { ...addresses, accentColor: '#FFCC00', logo: logoOf(40) };
    const { app } = await request(createApp, { ...shop, name: newName('shop'), ...branding }, 'operator', created);
    expect(app).toMatchObject({ ...addresses, accentColor: '#ffcc00' });
    const logoId = logoIdOf(app);
    expect((await request(getClient, { clientId: app.clientId }, 'auth')).app).toEqual(app);
    expect(PNG.sync.read(Buffer.from((await served(logoId)).png, 'base64'))).toMatchObject({ width: 8, height: 8 });
    const { changes } = (await eventOf(created.auditId)).audit!;
    expect(changes).toMatchObject({ accentColor: { to: '#ffcc00' }, logoPath: { to: app.logoPath } });
    expect(changes).not.toHaveProperty('logo');

    const removed = testContext({ actor: operator });
    const none = { startUri: null, helpUri: null, accentColor: null, logo: null };
    const plain = await request(updateApp, { clientId: app.clientId, ...none }, 'operator', removed);
    for (const member of ['startUri', 'helpUri', 'accentColor', 'logoPath']) expect(plain).not.toHaveProperty(member);
    expect((await eventOf(removed.auditId)).audit!.changes).toEqual({
      startUri: { from: addresses.startUri, to: null },
      helpUri: { from: addresses.helpUri, to: null },
      accentColor: { from: '#ffcc00', to: null },
      logoPath: { from: app.logoPath, to: null },
    });
    await expect(served(logoId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('has one logo: another one replaces it, and the deletion of the app deletes it', async () => {
    const { app } = await request(createApp, { ...shop, name: newName('shop'), logo: logoOf(50) }, 'operator');
    const { clientId } = app;
    const changed = await request(updateApp, { clientId, logo: logoOf(51) }, 'operator');
    expect(await storedLogos(clientId)).toEqual([logoIdOf(changed)]);
    await expect(served(logoIdOf(app))).rejects.toMatchObject({ code: 'not_found' });
    // An unrelated change leaves it alone.
    expect(await request(updateApp, { clientId, displayName: 'Shop' }, 'operator')).toMatchObject({
      logoPath: changed.logoPath,
    });
    await request(deleteApp, { clientId }, 'operator');
    expect(await storedLogos(clientId)).toEqual([]);
    await expect(served(logoIdOf(changed))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is independent of the organization: the same logo of both stays until both have removed it', async () => {
    const logo = logoOf(60);
    const { app } = await request(createApp, { ...shop, name: newName('shop'), logo }, 'operator');
    const organization = await request(updateOrganization, { shortId: 'acme', logo }, 'operator');
    expect(organization.logoPath).toBe(app.logoPath);
    await request(updateOrganization, { shortId: 'acme', logo: logoOf(61) }, 'operator');
    expect(await served(logoIdOf(app))).toBeDefined();
    await request(updateOrganization, { shortId: 'acme', logo }, 'operator');
    await request(updateApp, { clientId: app.clientId, logo: null }, 'operator');
    expect(await served(logoIdOf(app))).toBeDefined();
    await request(updateOrganization, { shortId: 'acme', logo: null }, 'operator');
    await expect(served(logoIdOf(app))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is served under the organization of the app alone', async () => {
    const { app } = await request(createApp, { ...shop, name: newName('shop'), logo: logoOf(70) }, 'operator');
    await expect(served(logoIdOf(app), 'globex')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('with a logo that is no PNG image changes nothing, and a service app has none', async () => {
    const { app } = await request(createApp, { ...shop, name: newName('shop') }, 'operator');
    const svg = Buffer.from('<svg/>').toString('base64');
    await expect(
      request(updateApp, { clientId: app.clientId, displayName: 'Evil', logo: svg }, 'operator'),
    ).rejects.toMatchObject({ code: 'invalid_request', errors: [{ pointer: '#/logo' }] });
    expect(await request(getApp, { clientId: app.clientId }, 'operator')).toEqual(app);
    const service = { org: 'acme', kind: 'service', name: newName('service'), logo: logoOf(80) } as const;
    await expect(request(createApp, service, 'operator')).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '#/logo' }],
    });
  });
});

describe('a person', () => {
  const person = () => testContext({ org: 'acme', actor: { type: 'person', id: randomUUID() } });
  const update = (clientId: string, changes: AppPatch, signedInRecently: boolean) =>
    request(adminUpdateApp, { clientId, changes, mayManageGrants: true, signedInRecently }, 'gateway', person());

  test('changes colour and logo at any time, and addresses for customers after a recent sign-in alone', async () => {
    const { app } = await request(
      adminCreateApp,
      { app: { name: newName('shop'), kind: 'web', logo: logoOf(90) }, mayManageGrants: true },
      'gateway',
      person(),
    );
    expect(logoIdOf(app)).toMatch(/^[0-9a-f]{32}$/);
    await update(app.clientId, { accentColor: '#123456', logo: logoOf(91) }, false);
    for (const changes of [{ helpUri: addresses.helpUri }, { startUri: addresses.startUri }]) {
      await expect(update(app.clientId, changes, false)).rejects.toMatchObject({ code: 'step_up_required' });
      expect((await update(app.clientId, changes, true)).app).toMatchObject(changes);
    }
  });
});
