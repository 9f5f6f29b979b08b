import { isPrivateUse, isProgram, type App, type AppKind, type ValidationIssue } from '@holdfast/contracts';
import { unprocessable } from '@holdfast/platform';

/** The settings of a new app, or those that a change sets. */
type SignInSettings = Partial<
  Pick<
    App,
    | 'audience'
    | 'credentialType'
    | 'redirectUris'
    | 'postLogoutRedirectUris'
    | 'pkce'
    | 'idTokenAlg'
    | 'deviceAuthorization'
  >
> &
  Partial<Record<'backchannelLogoutUri' | 'accentColor' | 'logo' | 'startUri', string | null | undefined>>;

/** Refuses settings that could be stored but would never work. @throws invalid_request with every validation issue */
export function requireUsable(kind: AppKind, settings: SignInSettings): void {
  const issues = [
    ...issuesOfService(kind, settings),
    ...issuesOfUris(kind, settings),
    ...issuesOfPkce(kind, settings),
    ...issuesOfDevices(kind, settings),
    ...issuesOfAudience(settings),
  ];
  if (issues.length > 0) throw unprocessable(issues);
}

/** Such an app acts for itself and signs nobody in (specification §5), so settings of sign-ins have no effect. */
function issuesOfService(
  kind: AppKind,
  { redirectUris = [], postLogoutRedirectUris = [], credentialType, idTokenAlg, ...settings }: SignInSettings,
): ValidationIssue[] {
  if (!isProgram(kind)) return [];
  const withoutEffect = {
    redirectUris: redirectUris.length > 0,
    postLogoutRedirectUris: postLogoutRedirectUris.length > 0,
    backchannelLogoutUri: typeof settings.backchannelLogoutUri === 'string',
    credentialType: credentialType !== undefined,
    idTokenAlg: idTokenAlg !== undefined,
    accentColor: typeof settings.accentColor === 'string',
    logo: typeof settings.logo === 'string',
    startUri: typeof settings.startUri === 'string',
  };
  return Object.entries(withoutEffect).flatMap(([member, isSet]) =>
    isSet
      ? [
          {
            pointer: `#/${member}`,
            detail: `has no effect for a ${kind} app, which signs nobody in; leave it out, or make a web app`,
          },
        ]
      : [],
  );
}

/** A private-use URI scheme belongs to a native app; in a browser, any other app could register it (RFC 8252 §7.1). */
function issuesOfUris(
  kind: AppKind,
  { redirectUris = [], postLogoutRedirectUris = [] }: SignInSettings,
): ValidationIssue[] {
  if (kind === 'native') return [];
  const detail = 'has a scheme of its own, which only a native app may have';
  return Object.entries({ redirectUris, postLogoutRedirectUris }).flatMap(([member, uris]) =>
    uris.flatMap((uri, i) => (isPrivateUse(uri) ? [{ pointer: `#/${member}/${i}`, detail }] : [])),
  );
}

/** RFC 9700 §2.1.1: only a confidential client may go without PKCE. */
function issuesOfPkce(kind: AppKind, { pkce }: SignInSettings): ValidationIssue[] {
  return pkce !== undefined && pkce !== 'required' && kind !== 'web'
    ? [{ pointer: '#/pkce', detail: `must be required of a ${kind} app; only a web app may make it optional` }]
    : [];
}

/** A device without a browser runs a native app. Any other app has a browser, where a sign-in cannot be relayed. */
function issuesOfDevices(kind: AppKind, { deviceAuthorization }: SignInSettings): ValidationIssue[] {
  return deviceAuthorization === true && kind !== 'native'
    ? [{ pointer: '#/deviceAuthorization', detail: `must be false of a ${kind} app; only a native app may have it` }]
    : [];
}

/** Assignments decide who signs in to an app of people; credentials are for customers. */
function issuesOfAudience({ audience, credentialType }: SignInSettings): ValidationIssue[] {
  return audience === 'people' && credentialType !== undefined
    ? [{ pointer: '#/credentialType', detail: 'has no effect for an app that signs people in; leave it out' }]
    : [];
}
