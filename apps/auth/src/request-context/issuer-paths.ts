import { issuerMetadataPath, issuerPaths, issuerRoute as routeBelowIssuer } from '@holdfast/contracts';

/** By the names of oidc-provider's `routes` setting. */
export const routes = {
  authorization: issuerPaths.authorization,
  token: issuerPaths.token,
  userinfo: issuerPaths.userinfo,
  jwks: issuerPaths.jwks,
  end_session: issuerPaths.endSession,
  revocation: issuerPaths.revocation,
};

/** Path of an organization's issuer. */
export function issuerPath(shortId: string): string {
  return `/o/${shortId}`;
}

/** As an address stands in the log: what belongs to one sign-in is left out. */
export function routeTemplate(path: string): string {
  return `/o/{shortId}${path.replace(/^\/(authorize|api\/sign-in)\/[^/]+/, '/$1/{uid}')}`;
}

const known = new Set<string>(Object.values(issuerPaths).map(routeBelowIssuer));

/**
 * Whose address a path is, and the template of its route when there is such a one: metrics take no text from outside.
 */
export function issuerRoute(path: string): { route: string | undefined; org: string } | undefined {
  const [, metadataOf] = /^\/\.well-known\/oauth-authorization-server\/o\/([a-z0-9-]{3,32})$/.exec(path) ?? [];
  if (metadataOf !== undefined) return { route: issuerMetadataPath, org: metadataOf };
  const [, org, rest] = /^\/o\/([a-z0-9-]{3,32})(\/.*)$/.exec(path) ?? [];
  if (org === undefined || rest === undefined) return undefined;
  const route = routeTemplate(rest);
  return { route: known.has(route) ? route : undefined, org };
}

/** What somebody does at an issuer; the rest is the same for everybody (metadata, keys, pages). */
export const actionPaths =
  /^\/(authorize(\/[^/]+)?|token(\/revocation)?|userinfo|session\/end(\/confirm)?|api\/sign-in\/.+)$/;

/** Where the sign-in page is. */
export const signInPagePath = '/sign-in/';
/** What it asks. */
export const signInApiPath = '/api/sign-in';
