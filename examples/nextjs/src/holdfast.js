import { holdfastClient, TokenVerifier } from '@holdfast/sdk';
import { SignIn } from '@holdfast/sdk/sign-in';
import { config } from './config.js';

const { issuer, clientId, clientSecret, origin } = config;

export const holdfast = holdfastClient(config);
export const signIn = new SignIn({ issuer, clientId, clientSecret, redirectUri: `${origin}/callback` });
export const tokens = new TokenVerifier({ issuer, clientId });

/** @param {string} location */
export function redirectTo(location) {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

/** Forms of other sites change nothing here. @param {Request} request */
export function isOfThisSite(request) {
  return request.headers.get('sec-fetch-site') === 'same-origin';
}
