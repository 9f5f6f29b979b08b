export const routes = {
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  end_session: '/session/end',
  revocation: '/token/revocation',
};

/** Path of an organization's issuer. */
export function issuerPath(shortId: string): string {
  return `/o/${shortId}`;
}

/** As an address stands in the log: what belongs to one sign-in is left out. */
export function routeTemplate(path: string): string {
  return `/o/{shortId}${path.replace(/^\/(authorize|api\/sign-in)\/[^/]+/, '/$1/{uid}')}`;
}

/** What somebody does at an issuer; the rest is the same for everybody (metadata, keys, pages). */
export const acting = /^\/(authorize(\/[^/]+)?|token(\/revocation)?|userinfo|session\/end(\/confirm)?|api\/sign-in\/.+)$/;

/** Where the sign-in page is. */
export const signInPage = '/sign-in/';
