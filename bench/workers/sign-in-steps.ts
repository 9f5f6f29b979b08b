import { createHash, randomBytes } from 'node:crypto';
import { CookieJar, SoftwareAuthenticator } from '@holdfast/testing';
import type { SignInJob } from './job.ts';

/** A customer or a person. */
export interface Subject {
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
export async function newCustomer({ url, org, offering = '' }: SignInJob): Promise<Subject> {
  const offers = `${url}/o/${org}/api/credentials/offers`;
  const { body: offer } = await exchange('offer', 201, offers, {
    method: 'POST',
    body: '{}',
    headers: { authorization: offering, 'content-type': 'application/json' },
  });
  const token = new URL(offer.claimUrl as string).hash.slice(1);
  return { subject: offer.subject as string, authenticator: await makePasskey(url, `/o/${org}/api/claim`, token) };
}

/** Accepts an invitation by the public routes. */
export async function newPerson({ url, org }: SignInJob, token: string): Promise<Subject> {
  // The response of the sign-in tells who it is.
  return { subject: '', authenticator: await makePasskey(url, `/o/${org}/api/invitation`, token) };
}

async function makePasskey(url: string, path: string, token: string): Promise<SoftwareAuthenticator> {
  const { origin } = new URL(url);
  const authenticator = new SoftwareAuthenticator();
  const { body, headers } = await exchange('options', 200, `${url}${path}/options`, fromPage(origin, { token }));
  const response = authenticator.register(body.options as object, { origin });
  const complete = new URL(`${url}${path}/complete`);
  const jar = new CookieJar();
  jar.keep(headers.getSetCookie());
  const { headers: more, ...completion } = fromPage(origin, { token, response });
  await exchange('complete', 200, complete, {
    ...completion,
    headers: { ...(more as Record<string, string>), cookie: jar.for(complete.pathname) },
  });
  return authenticator;
}

/**
 * Signs in with six requests: authorize, the two JSON routes of the sign-in page and resume by a browser without a
 * session, then token and userinfo by the app. Resolves to the access token.
 */
export async function signIn(job: SignInJob, who: Subject): Promise<string> {
  const { url, org, clientId, clientSecret, redirectUri, scope } = job;
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
    scope,
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = (await browse('authorize', 303, `${issuer}/authorize?${parameters}`)).location;
  const steps = page.replace('/sign-in/', '/api/sign-in/');
  const { body: optionsBody } = await browse('options', 200, `${steps}/options`, fromPage(origin, {}));
  const response = who.authenticator.authenticate(optionsBody.options as object, { origin });
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
  who.subject ||= claims.sub as string;
  if (claims.sub !== who.subject) throw new Error('userinfo is of somebody else');
  return tokens.access_token as string;
}
