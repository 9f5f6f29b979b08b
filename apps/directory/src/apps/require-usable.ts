import { isPrivateUse, type App, type AppKind, type ValidationIssue } from '@holdfast/contracts';
import { unprocessable } from '@holdfast/platform';

/** What is given of an app; a change gives only some of it. */
type Given = Partial<
  Pick<App, 'audience' | 'credentialType' | 'redirectUris' | 'postLogoutRedirectUris' | 'pkce' | 'idTokenAlg'>
> & { backchannelLogoutUri?: string | null | undefined };

/** Refuses what could be stored and would never work. @throws invalid_request, naming every member at fault */
export function requireUsable(kind: AppKind, given: Given): void {
  const faults = [
    ...faultsOfService(kind, given),
    ...faultsOfUris(kind, given),
    ...faultsOfPkce(kind, given),
    ...faultsOfAudience(given),
  ];
  if (faults.length > 0) throw unprocessable(faults);
}

/**
 * A service app acts for itself (specification §5): no sign-in leads to it, so none of what is about sign-ins has an
 * effect.
 */
function faultsOfService(
  kind: AppKind,
  { redirectUris = [], postLogoutRedirectUris = [], backchannelLogoutUri, credentialType, idTokenAlg }: Given,
): ValidationIssue[] {
  if (kind !== 'service') return [];
  const useless = {
    redirectUris: redirectUris.length > 0,
    postLogoutRedirectUris: postLogoutRedirectUris.length > 0,
    backchannelLogoutUri: typeof backchannelLogoutUri === 'string',
    credentialType: credentialType !== undefined,
    idTokenAlg: idTokenAlg !== undefined,
  };
  return Object.entries(useless).flatMap(([member, isGiven]) =>
    isGiven
      ? [
          {
            pointer: `#/${member}`,
            detail: 'has no effect for a service app, which signs nobody in; leave it out, or make a web app',
          },
        ]
      : [],
  );
}

/** Only a native app can own a scheme; in a browser it would be somebody else's. */
function faultsOfUris(kind: AppKind, { redirectUris = [], postLogoutRedirectUris = [] }: Given): ValidationIssue[] {
  if (kind === 'native') return [];
  const detail = 'has a scheme of its own, which only a native app may have';
  return Object.entries({ redirectUris, postLogoutRedirectUris }).flatMap(([member, uris]) =>
    uris.flatMap((uri, i) => (isPrivateUse(uri) ? [{ pointer: `#/${member}/${i}`, detail }] : [])),
  );
}

/** RFC 9700 §2.1.1: only what can keep a secret may go without PKCE. */
function faultsOfPkce(kind: AppKind, { pkce }: Given): ValidationIssue[] {
  return pkce === 'optional' && kind !== 'web'
    ? [{ pointer: '#/pkce', detail: `must be required of a ${kind} app; only a web app may make it optional` }]
    : [];
}

/** People are not invited or signed in yet, so such an app would refuse everybody. */
function faultsOfAudience({ audience }: Given): ValidationIssue[] {
  return audience === 'people'
    ? [{ pointer: '#/audience', detail: 'must be customers: people cannot sign in yet' }]
    : [];
}
