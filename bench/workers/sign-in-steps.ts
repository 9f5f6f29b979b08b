import { createHash, randomBytes } from 'node:crypto';
import { CookieJar, SoftwareAuthenticator } from '@holdfast/testing';
import type { SignInJob } from './job.ts';

export interface Customer {
  subject: string;
  authenticator: SoftwareAuthenticator;
}

type Json = Record<string, unknown>;

const random = (): string => randomBytes(32).toString('base64url');

async function exchange(
  step: string,
  expected: number,
  url: string | URL,
  init: RequestInit = {},
): Promise<{ body: Json; headers: Headers }> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  if (response.status !== expected) throw new Error(`${step} returned ${response.status}: ${text.slice(0, 500)}`);
  const isJson = response.headers.get('content-type')?.includes('json');
  return { body: isJson ? (JSON.parse(text) as Json) : {}, headers: response.headers };
}

/** A request as a script of Holdfast's own pages sends it. */
function fromPage(url: string, body: object): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      origin: url,
      'sec-fetch-site': 'same-origin',
    },
  };
}

/** Makes an offer and claims it by the public routes. */
export async function newCustomer({ url, org, offering }: SignInJob): Promise<Customer> {
  const origin = new URL(url).origin;
  const offers = `${url}/o/${org}/api/credentials/offers`;
  const { body: offer } = await exchange('offer', 201, offers, {
    method: 'POST',
    body: '{}',
    headers: { authorization: offering, 'content-type': 'application/json' },
  });
  const token = new URL(offer.claimUrl as string).hash.slice(1);
  const authenticator = new SoftwareAuthenticator();
  const { body, headers } = await exchange(
    'claim options',
    200,
    `${url}/o/${org}/api/claim/options`,
    fromPage(origin, { token }),
  );
  const response = authenticator.register(body.options as object, { origin });
  const complete = new URL(`${url}/o/${org}/api/claim/complete`);
  const jar = new CookieJar();
  jar.keep(headers.getSetCookie());
  const { headers: more, ...completion } = fromPage(origin, { token, response });
  await exchange('claim', 200, complete, {
    ...completion,
    headers: { ...(more as Record<string, string>), cookie: jar.for(complete.pathname) },
  });
  return { subject: offer.subject as string, authenticator };
}

/**
 * Signs in with six requests: authorize, the two JSON routes of the sign-in page and resume by a browser without a
 * session, then token and userinfo by the app.
 */
export async function signIn(job: SignInJob, { subject, authenticator }: Customer): Promise<void> {
  const { url, org, clientId, clientSecret, redirectUri } = job;
  const issuer = `${url}/o/${org}`;
  const { origin } = new URL(url);
  const jar = new CookieJar();
  const browse = async (step: string, expected: number, address: string, init: RequestInit = {}) => {
    const target = new URL(address, url);
    const response = await exchange(step, expected, target, {
      ...init,
      headers: { accept: 'text/html', ...(init.headers as Record<string, string>), cookie: jar.for(target.pathname) },
    });
    jar.keep(response.headers.getSetCookie());
    return { ...response, location: response.headers.get('location') ?? '' };
  };

  const [verifier, state, nonce] = [random(), random(), random()];
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = (await browse('authorize', 303, `${issuer}/authorize?${parameters}`)).location;
  const steps = page.replace('/sign-in/', '/api/sign-in/');
  const { body: optionsBody } = await browse('options', 200, `${steps}/options`, fromPage(origin, {}));
  const response = authenticator.authenticate(optionsBody.options as object, { origin });
  const { body: completed } = await browse('complete', 200, `${steps}/complete`, fromPage(origin, { response }));
  const callback = new URL((await browse('resume', 303, completed.redirectTo as string)).location);
  if (callback.searchParams.get('state') !== state) throw new Error('the app received another state');

  const grant = new URLSearchParams({
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const { body: tokens } = await exchange('token', 200, `${issuer}/token`, {
    method: 'POST',
    body: grant,
    headers: { authorization: basic },
  });
  const { body: claims } = await exchange('userinfo', 200, `${issuer}/userinfo`, {
    headers: { authorization: `Bearer ${tokens.access_token as string}` },
  });
  if (claims.sub !== subject) throw new Error('userinfo is of another customer');
}
