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

/** Where the sign-in page is, and where its JSON routes are. */
export const signInPage = '/sign-in/';
export const signInApi = '/api/sign-in/';

/** Names that several issuers of one host cannot share: a browser holds a session with each. */
export function cookieNames(shortId: string) {
  return { session: `holdfast-${shortId}-session`, interaction: `holdfast-${shortId}-sign-in`, resume: `holdfast-${shortId}-resume` };
}
