import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator, type CeremonyOptions } from '@holdfast/testing';
import { callApi, type Client } from '../clients/client.ts';
import type { Problem, Reply } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { UserAgent, type BrowserResponse } from './user-agent.ts';

export const origin = new URL(stack.baseUrl).origin;

type Ceremony = Partial<CeremonyOptions>;

/** The claim token: the fragment of a claim link. */
export function tokenOf(claimUrl: string): string {
  return new URL(claimUrl).hash.slice(1);
}

export function readClaim<Body = Problem>(org: string, token: string): Promise<Reply<Body>> {
  return callApi<Body>(stack, 'POST', `/o/${org}/api/claim`, { json: { token } });
}

/** `cookie` binds the claim to the browser that began it. */
export async function beginClaim(
  org: string,
  token: string,
): Promise<Reply<{ options: object } & Problem> & { cookie: string }> {
  const reply = await callApi<{ options: object } & Problem>(stack, 'POST', `/o/${org}/api/claim/options`, {
    json: { token },
  });
  return { ...reply, cookie: (reply.headers['set-cookie'] ?? '').split(';')[0]! };
}

export function completeClaim(
  org: string,
  token: string,
  response: object,
  cookie: string,
): Promise<Reply<{ returnUrl?: string } & Problem>> {
  return callApi(stack, 'POST', `/o/${org}/api/claim/complete`, {
    json: { token, response },
    headers: { ...(cookie && { cookie }) },
  });
}

/** Begins and completes a claim. Resolves to the last response. */
export async function claim(
  org: string,
  token: string,
  authenticator: SoftwareAuthenticator,
  ceremony: Ceremony = {},
): Promise<Reply<{ returnUrl?: string } & Problem>> {
  const { status, body, cookie, ...rest } = await beginClaim(org, token);
  if (status !== 200) return { status, body, ...rest };
  return completeClaim(org, token, authenticator.register(body.options, { origin, ...ceremony }), cookie);
}

/** A customer with a claimed credential, and the authenticator with their passkey. */
export interface Customer {
  org: string;
  subject: string;
  credentialId: string;
  token: string;
  authenticator: SoftwareAuthenticator;
}

export async function newCustomer(
  app: Client,
  authenticator = new SoftwareAuthenticator(),
  offer: object = {},
): Promise<Customer> {
  const { body } = await app.offer<Offer>(offer);
  const { org } = app.app;
  const token = tokenOf(body.claimUrl);
  const { status, text } = await claim(org, token, authenticator);
  if (status !== 200) throw new Error(`the claim returned ${status} ${text}`);
  return { org, subject: body.subject, credentialId: body.credentialId, token, authenticator };
}

/** Opens an authorization URL. Resolves to the path of the JSON routes of the sign-in page. */
export async function beginSignIn(agent: UserAgent, url: string): Promise<string> {
  const { status, location, text } = await agent.go(url);
  if (!location.includes('/sign-in/')) throw new Error(`no sign-in page: ${status} ${location} ${text}`);
  return location.replace('/sign-in/', '/api/sign-in/').split('?')[0]!;
}

/** Uses a passkey on the sign-in page. */
export async function completeSignIn(
  agent: UserAgent,
  page: string,
  authenticator: SoftwareAuthenticator,
  ceremony: Ceremony = {},
): Promise<BrowserResponse> {
  const { status, json, text } = await agent.post(`${page}/options`);
  if (status !== 200) throw new Error(`no options: ${status} ${text}`);
  return agent.post(`${page}/complete`, {
    response: authenticator.authenticate(json.options as object, { origin, ...ceremony }),
  });
}

/** Signs in, from the authorization URL to the response to the app: a redirect, or the page that posts to it. */
export async function signIn(
  agent: UserAgent,
  url: string,
  authenticator: SoftwareAuthenticator,
  ceremony: Ceremony = {},
): Promise<BrowserResponse> {
  const { status, json, text } = await completeSignIn(agent, await beginSignIn(agent, url), authenticator, ceremony);
  if (typeof json.redirectTo !== 'string') throw new Error(`not signed in: ${status} ${text}`);
  return agent.go(json.redirectTo);
}
