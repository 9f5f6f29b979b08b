import { issuerMetadataPath, issuerPaths, issuerRoute as routeBelowIssuer } from '@holdfast/contracts';

/** oidc-provider's setting `routes`. */
export const routes = {
  authorization: issuerPaths.authorization,
  pushed_authorization_request: issuerPaths.pushedAuthorization,
  device_authorization: issuerPaths.deviceAuthorization,
  // The library's pages of devices are never reached: http/issuer-routes.ts calls our own.
  code_verification: issuerPaths.device,
  token: issuerPaths.token,
  userinfo: issuerPaths.userinfo,
  jwks: issuerPaths.jwks,
  end_session: issuerPaths.endSession,
  revocation: issuerPaths.revocation,
  introspection: issuerPaths.introspection,
};

/** Path of an organization's issuer. */
export function issuerPath(shortId: string): string {
  return `/o/${shortId}`;
}

/** The route of a path in logs and metrics, without the id of a sign-in. */
export function routeTemplate(path: string): string {
  return `/o/{shortId}${path.replace(/^\/(authorize|device|api\/sign-in)\/[^/]+/, '/$1/{uid}')}`;
}

const routeTemplates = new Set<string>(Object.values(issuerPaths).map(routeBelowIssuer));

/**
 * Organization and route of a path below an issuer. The route is undefined when there is none, since metrics must not
 * have labels from outside.
 */
export function issuerRoute(path: string): { route: string | undefined; org: string } | undefined {
  const [, metadataOf] = /^\/\.well-known\/oauth-authorization-server\/o\/([a-z0-9-]{3,32})$/.exec(path) ?? [];
  if (metadataOf !== undefined) return { route: issuerMetadataPath, org: metadataOf };
  const [, org, rest] = /^\/o\/([a-z0-9-]{3,32})(\/.*)$/.exec(path) ?? [];
  if (org === undefined || rest === undefined) return undefined;
  const route = routeTemplate(rest);
  return { route: routeTemplates.has(route) ? route : undefined, org };
}

/** Paths at which a caller acts. The others (metadata, keys, pages) respond the same to everybody. */
export const actionPath = new RegExp(
  `^/(${[
    'authorize(/[^/]+)?',
    'par',
    'device_authorization',
    'device(/[^/]+)?',
    'token(/\\w+)?',
    'userinfo',
    'session/end(/confirm)?',
    'api/sign-in/.+',
  ].join('|')})$`,
);

export const signInPagePath = '/sign-in/';
/** The API of the sign-in page. */
export const signInApiPath = '/api/sign-in';
