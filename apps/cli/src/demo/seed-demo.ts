import { setTimeout as sleep } from 'node:timers/promises';
import {
  createApp,
  createOrganization,
  createSecret,
  getPresencePolicy,
  listApps,
  listOrganizations,
  listSecrets,
  revokeSecret,
  setPresencePolicy,
  updateApp,
  type App,
  type PresencePolicy,
} from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import type { OperatorSession } from '../operator-session.js';
import { demoApps, demoOrganizations, isShopUri, type ShopAddress, type WantedApp } from './demo-apps.js';
import { seedPeople, type DemoPeople } from './demo-people.js';
import { seedTypes, type DemoType } from './demo-types.js';
import type { KnownApp } from './known-apps.js';

export interface DemoApp extends Pick<
  App,
  | 'name'
  | 'kind'
  | 'audience'
  | 'credentialType'
  | 'clientId'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'scopes'
> {
  clientSecret: string;
}
export interface DemoOrganization extends DemoPeople {
  shortId: string;
  issuer: string;
  /** Whether its offers require a presence proof. */
  presence: PresencePolicy['policy'];
  credentialTypes: DemoType[];
  apps: DemoApp[];
}

/**
 * Creates what is missing. Of existing apps it updates the URIs of the example shop and adds settings that an earlier
 * seed did not know. A client secret that is not in `known` is replaced.
 */
export async function seedDemo(
  session: OperatorSession,
  baseUrl: string,
  shop: ShopAddress,
  known: KnownApp[],
): Promise<DemoOrganization[]> {
  const existing = (await whenAvailable(() => session.request(listOrganizations, {}))).items.map(
    ({ shortId }) => shortId,
  );
  const seeded: DemoOrganization[] = [];
  for (const { shortId, name, presence } of demoOrganizations) {
    if (!existing.includes(shortId)) await session.request(createOrganization, { shortId, name }, shortId);
    const credentialTypes = await whenAvailable(() => seedTypes(session, shortId));
    await seedPresence(session, shortId, presence);
    const apps = await seedApps(session, shortId, shop, known);
    const staff = apps.find(({ audience }) => audience === 'people')!;
    seeded.push({
      shortId,
      issuer: `${baseUrl}/o/${shortId}`,
      presence,
      credentialTypes,
      apps,
      ...(await seedPeople(session, shortId, staff.clientId)),
    });
  }
  return seeded;
}

async function seedPresence(session: OperatorSession, org: string, policy: PresencePolicy['policy']): Promise<void> {
  if ((await session.request(getPresencePolicy, {}, org)).policy !== policy)
    await session.request(setPresencePolicy, { policy }, org);
}

async function seedApps(
  session: OperatorSession,
  org: string,
  shop: ShopAddress,
  known: KnownApp[],
): Promise<DemoApp[]> {
  const { items } = await session.request(listApps, { org }, org);
  const apps: DemoApp[] = [];
  for (const wanted of demoApps(org, shop)) {
    const found = items.find(({ name }) => name === wanted.name);
    apps.push(
      found
        ? demoApp(await update(session, found, wanted, shop), await secretOf(session, found, known))
        : await create(session, org, wanted),
    );
  }
  return apps;
}

async function create(session: OperatorSession, org: string, wanted: WantedApp): Promise<DemoApp> {
  const { app, clientSecret } = await session.request(createApp, { org, ...wanted }, org);
  return demoApp(app, clientSecret!);
}

/**
 * An earlier seed may have registered the shop at another port, the kiosk without a credential type, or no address for
 * logout tokens. Addresses that the operator registered stay.
 */
async function update(session: OperatorSession, found: App, wanted: WantedApp, shop: ShopAddress): Promise<App> {
  const isOfShop = (uri: string): boolean => isShopUri(uri, found.org, shop);
  const redirectUris = mergeUris(wanted.redirectUris, found.redirectUris, isOfShop);
  const postLogoutRedirectUris = mergeUris(wanted.postLogoutRedirectUris, found.postLogoutRedirectUris, isOfShop);
  const credentialType = found.credentialType ?? wanted.credentialType;
  const { backchannelLogoutUri } =
    found.backchannelLogoutUri === undefined || isOfShop(found.backchannelLogoutUri) ? wanted : found;
  const isUpToDate =
    sameUris(redirectUris, found.redirectUris) &&
    sameUris(postLogoutRedirectUris, found.postLogoutRedirectUris) &&
    credentialType === found.credentialType &&
    backchannelLogoutUri === found.backchannelLogoutUri;
  const changes = {
    redirectUris,
    postLogoutRedirectUris,
    ...(credentialType !== undefined && { credentialType }),
    ...(backchannelLogoutUri !== found.backchannelLogoutUri && { backchannelLogoutUri: backchannelLogoutUri ?? null }),
  };
  return isUpToDate ? found : session.request(updateApp, { clientId: found.clientId, ...changes }, found.org);
}

function mergeUris(wanted: string[], found: string[], isOfShop: (uri: string) => boolean): string[] {
  return [...wanted, ...found.filter((uri) => !wanted.includes(uri) && !isOfShop(uri))];
}

function sameUris(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((uri) => b.includes(uri));
}

async function secretOf(session: OperatorSession, { clientId, org }: App, known: KnownApp[]): Promise<string> {
  const knownSecret = known.find((k) => k.clientId === clientId)?.clientSecret;
  if (knownSecret) return knownSecret;
  const { items } = await session.request(listSecrets, { clientId }, org);
  const [oldest, second] = items;
  if (oldest && second) await session.request(revokeSecret, { clientId, secretId: oldest.id }, org);
  return (await session.request(createSecret, { clientId }, org)).clientSecret;
}

function demoApp(
  {
    name,
    kind,
    audience,
    credentialType,
    clientId,
    redirectUris,
    postLogoutRedirectUris,
    backchannelLogoutUri,
    scopes,
  }: App,
  clientSecret: string,
): DemoApp {
  return {
    name,
    kind,
    audience,
    ...(credentialType !== undefined && { credentialType }),
    clientId,
    clientSecret,
    redirectUris,
    postLogoutRedirectUris,
    ...(backchannelLogoutUri !== undefined && { backchannelLogoutUri }),
    scopes,
  };
}

/** The seed may run before the services are ready, so it retries for half a minute. */
async function whenAvailable<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= 60 || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
      await sleep(500);
    }
  }
}
