import type { AppKind, AppPatch, AppRight, Operation } from '@holdfast/contracts';

/** Who changes an app through the Admin API. */
export interface AppManager {
  type: 'app' | 'person';
  /** Of a program. */
  clientId?: string;
  /** Whether a person may change grants too (`grants:manage`). Never true of a program. */
  mayManageGrants: boolean;
  /** By which operation it manages the app. */
  right: AppRight;
}

/** The app that is changed, or is to be created. */
export interface ProtectedApp {
  clientId: string;
  kind: AppKind;
  scopes: readonly Operation[];
  builtIn: boolean;
  /** Client ID of the program that created it. */
  createdBy: string | null;
  /** People or the operator have taken over an app that a program created. */
  takenOver: boolean;
}

/** What a caller does to an app. Reads are always allowed: they show no secret. */
export type AppAct = 'create' | 'change' | 'change_keys' | 'delete' | 'create_secret' | 'revoke_secret';

/**
 * Why the caller may not do this to the app (product §4); undefined when it may. A program that manages apps
 * must not gain rights by them. So it leaves alone all that holds or may get rights: itself, service apps, apps with a
 * scope. Nor may it gain the sign-ins of others: so it changes nothing of an app that it did not make. Otherwise a
 * redirect URI, or the name of another app that has become free, would be enough to receive them.
 * docs/adr/0034-what-a-program-may-do-to-apps.md has the reasons.
 */
export function refusalOf(caller: AppManager, app: ProtectedApp, act: AppAct): string | undefined {
  if (app.builtIn) return 'The app is part of Holdfast.';
  if (caller.type === 'app' && caller.clientId === app.clientId) return 'A program does not change its own app.';
  if (caller.type === 'person' && caller.mayManageGrants) return undefined;
  // A key of a program would stay when its right has ended: only its secrets are known to be its own.
  if (act === 'change_keys') return 'Only people who may manage grants change how an app authenticates.';
  if (app.kind !== 'receiver' && caller.right === 'ssf:manage') return 'ssf:manage reaches receivers only.';
  if (app.kind === 'receiver' && caller.right !== 'ssf:manage')
    return 'Receivers are made and changed at …/api/admin/ssf/receivers, with ssf:manage.';
  if (app.kind === 'service')
    return 'Service apps are made and changed by people who may manage grants, and by the operator.';
  if (app.scopes.length > 0)
    return 'The app holds a scope: only people who may manage grants, and the operator, change it.';
  if (act === 'create') return undefined;
  if (caller.type === 'person')
    return act === 'create_secret' && app.kind !== 'receiver'
      ? 'Only people who may manage grants create client secrets.'
      : undefined;
  if (app.createdBy !== caller.clientId) return 'A program changes only apps that it made.';
  if (app.takenOver) return 'People have taken the app over from the program that made it.';
  return undefined;
}

/**
 * What a change of the setting reaches. `customers`: an address that they follow from the sign-in page. `sign-ins`: it
 * could give somebody the sign-ins of an app, or keep them signed in for longer: who signs in, where sign-ins and their
 * ends lead, which pages take part, and what proves that they began in the app. By its type it has every setting.
 */
const reachOf: Record<keyof AppPatch, 'sign-ins' | 'customers' | undefined> = {
  redirectUris: 'sign-ins',
  postLogoutRedirectUris: 'sign-ins',
  backchannelLogoutUri: 'sign-ins',
  origins: 'sign-ins',
  pkce: 'sign-ins',
  refreshTokens: 'sign-ins',
  deviceAuthorization: 'sign-ins',
  credentialType: 'sign-ins',
  name: undefined,
  displayName: undefined,
  logoUri: undefined,
  accentColor: undefined,
  logo: undefined,
  startUri: 'customers',
  helpUri: 'customers',
  idTokenAlg: undefined,
  tokenEndpointAuthMethod: 'sign-ins',
  jwks: 'sign-ins',
  jwksUri: 'sign-ins',
  requireDpop: 'sign-ins',
  accessTokenFormat: 'sign-ins',
};

/**
 * Whether these changes of settings could take over an app. Then a person must have signed in a short time ago, as for
 * a grant or a secret: somebody who takes over an open session cannot make them.
 */
export function changesSignIns(changed: readonly string[]): boolean {
  return changed.some((setting) => reachOf[setting as keyof AppPatch] === 'sign-ins');
}

/**
 * Whether customers follow one of these changed addresses from the sign-in page. A person must have signed in a short
 * time ago for it, as for the addresses of the organization.
 */
export function leadsCustomers(changed: readonly string[]): boolean {
  return changed.some((setting) => reachOf[setting as keyof AppPatch] === 'customers');
}
