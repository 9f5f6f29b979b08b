import type { AppKind, AppPatch, Operation } from '@holdfast/contracts';

/** Who changes an app through the Admin API. */
export interface AppManager {
  type: 'app' | 'person';
  /** Of a program. */
  clientId?: string;
  /** Whether a person may change grants too (`grants:manage`). Never true of a program. */
  mayManageGrants: boolean;
}

/** The app that is changed, or is to be created. */
export interface ProtectedApp {
  clientId: string;
  kind: AppKind;
  scopes: readonly Operation[];
  builtIn: boolean;
  /** Client ID of the program that created it. */
  createdBy: string | null;
}

/** What a caller does to an app. Reads are always allowed: they show no secret. */
export type AppAct = 'create' | 'change' | 'delete' | 'create_secret' | 'revoke_secret';

/**
 * Why the caller may not do this to the app (product §4); undefined when it may. A program that manages apps
 * must not gain rights by them. So it leaves alone whatever holds or may get rights: itself, service apps, apps with a
 * scope. docs/adr/0034-what-a-program-may-do-to-apps.md has the reasons.
 */
export function refusalOf(caller: AppManager, app: ProtectedApp, act: AppAct): string | undefined {
  if (app.builtIn) return 'The app is part of Holdfast.';
  if (caller.type === 'app' && caller.clientId === app.clientId) return 'A program does not change its own app.';
  if (caller.type === 'person' && caller.mayManageGrants) return undefined;
  if (app.kind === 'service')
    return 'Service apps are made and changed by people who may manage grants, and by the operator.';
  if (app.scopes.length > 0)
    return 'The app holds a scope: only people who may manage grants, and the operator, change it.';
  if (act === 'create_secret' && (caller.clientId === undefined || app.createdBy !== caller.clientId))
    return 'A program creates client secrets only for apps that it made.';
  return undefined;
}

/** Where sign-ins and their ends lead, and what proves that they began in the app. */
const takeoverSettings: readonly (keyof AppPatch)[] = [
  'redirectUris',
  'postLogoutRedirectUris',
  'backchannelLogoutUri',
  'pkce',
];

/**
 * Whether these changes of settings could take over an app that holds a scope. Then a person must have signed in a
 * short time ago, as for a grant or a secret: somebody who takes over an open session cannot make them.
 */
export function needsRecentSignIn(app: Pick<ProtectedApp, 'scopes'>, changed: readonly string[]): boolean {
  return app.scopes.length > 0 && takeoverSettings.some((setting) => changed.includes(setting));
}
