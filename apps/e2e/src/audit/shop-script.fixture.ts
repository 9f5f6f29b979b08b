import { randomUUID } from 'node:crypto';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { basic, callApi, requestToken } from '../clients/client.ts';
import { exchange, type Reply } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { beginClaim, beginSignIn, origin, tokenOf } from '../sign-in/customer.fixture.ts';
import type { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import type { AuditRecorder } from './recorder.fixture.ts';

type Body = Record<string, string>;
export type Step = (recorder: AuditRecorder) => Promise<unknown>;

const anonymous = 'anonymous';
const json = { 'content-type': 'application/json' };
const offers = '/credentials/offers';
const subjects = '/credentials/subjects';
const subject = '/credentials/subjects/{subject}';

async function offer(recorder: AuditRecorder, body: object = {}, headers: Record<string, string> = {}): Promise<Offer> {
  const reply = await recorder.api('offer.create', 'POST', offers, {}, { json: body, headers });
  const offered = reply.body as unknown as Offer;
  if (reply.status === 201) recorder.secrets.set(tokenOf(offered.claimUrl), 'a claim token');
  return offered;
}

/** A complete claim with the link. */
async function claim(recorder: AuditRecorder, offered: Offer, authenticator: SoftwareAuthenticator): Promise<void> {
  const token = tokenOf(offered.claimUrl);
  const { body, cookie, status } = await beginClaim(recorder.org, token);
  recorder.expectCount(
    { action: 'claim.begin', actor: anonymous, method: 'POST', route: '/o/{shortId}/api/claim/options' },
    { status },
  );
  const response = authenticator.register(body.options, { origin });
  const id = recorder.id();
  const reply = await callApi<Body>(stack, 'POST', `/o/${recorder.org}/api/claim/complete`, {
    json: { token, response },
    headers: { 'x-request-id': id, cookie },
  });
  recorder.expectRecord(
    {
      id,
      action: 'credential.claim',
      actor: offered.subject,
      method: 'POST',
      route: '/o/{shortId}/api/claim/complete',
    },
    reply,
  );
}

async function claimAgain(recorder: AuditRecorder, token: string): Promise<void> {
  const id = recorder.id();
  const reply = await callApi<Body>(stack, 'POST', `/o/${recorder.org}/api/claim/options`, {
    json: { token },
    headers: { 'x-request-id': id },
  });
  recorder.expectRecord(
    { id, action: 'credential.claim', actor: anonymous, method: 'POST', route: '/o/{shortId}/api/claim/options' },
    reply,
  );
}

/** A request of an unknown caller, which is denied. */
async function denied(
  recorder: AuditRecorder,
  action: 'request.denied' | 'credential.claim',
  method: string,
  template: string,
  send: (path: string) => Promise<Reply<Body>>,
): Promise<void> {
  recorder.id();
  const reply = await send(`/o/${recorder.org}/api${template}`);
  recorder.expectCount({ action, actor: anonymous, method, route: `/o/{shortId}/api${template}` }, reply);
}

/** Form to an endpoint of OAuth, as the app. */
async function form(
  recorder: AuditRecorder,
  action: 'customer.token' | 'customer.token_revoke',
  path: string,
  fields: Record<string, string>,
): Promise<Reply<Body>> {
  const id = recorder.id();
  const headers = {
    authorization: basic(recorder.client.app),
    'content-type': 'application/x-www-form-urlencoded',
    'x-request-id': id,
  };
  const reply = await exchange<Body>({
    origin: stack.baseUrl,
    method: 'POST',
    path: `/o/${recorder.org}${path}`,
    headers,
    body: new URLSearchParams(fields).toString(),
  });
  recorder.expectRecord(
    { id, action, actor: recorder.client.app.clientId, method: 'POST', route: `/o/{shortId}${path}` },
    reply,
  );
  return reply;
}

async function userinfo(recorder: AuditRecorder, token: string, isValid: boolean): Promise<void> {
  const id = recorder.id();
  const reply = await exchange<Body>({
    origin: stack.baseUrl,
    path: `/o/${recorder.org}/userinfo`,
    headers: { authorization: `Bearer ${token}`, 'x-request-id': id },
  });
  const call = {
    action: 'customer.userinfo' as const,
    actor: isValid ? recorder.client.app.clientId : anonymous,
    method: 'GET',
    route: '/o/{shortId}/userinfo',
  };
  if (isValid) recorder.expectRecord({ id, ...call }, reply);
  else recorder.expectCount(call, reply);
}

/** A sign-in from the authorization URL to the sign-out, with everything that an app does in between. */
async function signInAndOut(
  recorder: AuditRecorder,
  party: RelyingParty,
  offered: Offer,
  authenticator: SoftwareAuthenticator,
): Promise<void> {
  const agent = new UserAgent(stack.baseUrl);
  const { url, checks } = await party.begin();
  const page = await beginSignIn(agent, url);
  const {
    json: { options },
  } = await agent.post(`${page}/options`);
  const {
    json: { redirectTo },
  } = await agent.post(`${page}/complete`, { response: authenticator.authenticate(options as object, { origin }) });
  const id = recorder.id();
  const { status, location } = await agent.go(redirectTo as string, { headers: { 'x-request-id': id } });
  recorder.expectRecord(
    { id, action: 'customer.sign_in', actor: offered.subject, method: 'GET', route: '/o/{shortId}/authorize/{uid}' },
    { status },
  );
  const code = new URL(location).searchParams.get('code')!;
  const { body } = await form(recorder, 'customer.token', '/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: party.redirectUri,
    code_verifier: checks.pkceCodeVerifier,
  });
  for (const [secret, what] of [
    [code, 'a code'],
    [body.access_token!, 'an access token'],
    [body.id_token!, 'an ID token'],
  ] as const)
    recorder.secrets.set(secret, what);
  await userinfo(recorder, body.access_token!, true);
  await form(recorder, 'customer.token', '/token', {
    grant_type: 'authorization_code',
    code: 'nothing',
    redirect_uri: party.redirectUri,
    code_verifier: checks.pkceCodeVerifier,
  });
  await form(recorder, 'customer.token_revoke', '/token/revocation', { token: 'nothing' });
  const signOutId = recorder.id();
  const signOut = await agent.go(`/o/${recorder.org}/session/end?id_token_hint=${body.id_token}`, {
    headers: { 'x-request-id': signOutId },
  });
  recorder.expectRecord(
    {
      id: signOutId,
      action: 'customer.sign_out',
      actor: offered.subject,
      method: 'GET',
      route: '/o/{shortId}/session/end',
    },
    signOut,
  );
}

/** The requests of a web app. Each step is independent of the others. */
export function shopSteps(party: RelyingParty, otherOrganization: string): Step[] {
  return [
    (r) => offer(r),
    (r) => offer(r, { offerExpiresIn: 900 }),
    (r) => offer(r, { email: 'canary@example.com' }),
    (r) => r.api('offer.create', 'POST', offers, {}, { body: '{"canary"', headers: json }),
    (r) => r.api('offer.create', 'POST', offers, {}, { body: '{}', headers: { 'content-type': 'text/plain' } }),
    async (r) => {
      const key = { 'idempotency-key': `key-${randomUUID()}` };
      r.secrets.set(key['idempotency-key'], 'an Idempotency-Key');
      await offer(r, {}, key);
      await offer(r, {}, key);
      await offer(r, { offerExpiresIn: 900 }, key);
    },
    async (r) => {
      const offered = await offer(r);
      await r.api('subject.read', 'GET', subject, offered);
      await r.api('credential.read', 'GET', '/credentials/issued/{id}', { id: offered.credentialId });
      await r.api('subject.erase', 'DELETE', subject, offered);
      await r.api('subject.read', 'GET', subject, offered);
      await r.api('subject.erase', 'DELETE', subject, offered);
    },
    async (r) => {
      const offered = await offer(r);
      await r.api('offer.read', 'GET', `${offers}/{offerId}`, offered);
      await r.api('offer.withdraw', 'DELETE', `${offers}/{offerId}`, offered);
      await r.api('offer.withdraw', 'DELETE', `${offers}/{offerId}`, offered);
    },
    async (r) => {
      const authenticator = new SoftwareAuthenticator();
      const offered = await offer(r);
      await claim(r, offered, authenticator);
      await claimAgain(r, tokenOf(offered.claimUrl));
      await signInAndOut(r, party, offered, authenticator);
      const change = (transition: 'suspend' | 'resume' | 'revoke', options = {}) =>
        r.api(
          `credential.${transition}`,
          'POST',
          `/credentials/issued/{id}/${transition}`,
          { id: offered.credentialId },
          options,
        );
      await change('suspend', { json: { reason: 'lost phone' } });
      await change('resume');
      await change('resume');
      await change('revoke');
      await change('revoke');
    },
    (r) => r.api('credential.read', 'GET', '/credentials/issued/{id}'),
    (r) => r.api('credential.suspend', 'POST', '/credentials/issued/{id}/suspend', { id: 'canary@example.com' }),
    (r) => r.api('subject.read', 'GET', subject),
    (r) => r.api('subject.read', 'GET', subject, { subject: 'canary@example.com' }),
    (r) => r.api('subject.list', 'GET', subjects),
    (r) => r.api('subject.list', 'GET', subjects, {}, { query: '?limit=1&claimed=true' }),
    (r) => r.api('subject.list', 'GET', subjects, {}, { query: '?limit=0&email=canary@example.com' }),
    (r) => r.api('subject.list', 'GET', subjects, {}, { query: '?next_page_token=canary' }),
    (r) => r.call('subject.list', 'GET', `/o/${otherOrganization}/api${subjects}`, `/o/{shortId}/api${subjects}`),
    async (r) =>
      r.api(
        'subject.list',
        'GET',
        subjects,
        {},
        { headers: { authorization: `Bearer ${await r.client.with('offers:write').token()}` } },
      ),
    (r) => r.api('audit.list', 'GET', '/admin/audit/events'),
    async (r) => {
      const id = r.id();
      const reply = await exchange<Body>({
        origin: stack.gateways[0]!,
        method: 'HEAD',
        path: `${r.client.api}${subjects}`,
        headers: { authorization: `Bearer ${await r.client.token()}`, 'x-request-id': id },
      });
      r.expectRecord(
        {
          id,
          action: 'subject.list',
          actor: r.client.app.clientId,
          method: 'HEAD',
          route: `/o/{shortId}/api${subjects}`,
        },
        reply,
      );
    },
    async (r) => {
      const headers = { authorization: `Bearer ${await r.client.token()}`, 'x-request-id': r.id() };
      for (const _ of [1, 2]) {
        const reply = await callApi<Body>(stack, 'GET', `${r.client.api}${subjects}`, { headers });
        r.expectRecord(
          {
            id: headers['x-request-id'],
            action: 'subject.list',
            actor: r.client.app.clientId,
            method: 'GET',
            route: `/o/{shortId}/api${subjects}`,
          },
          reply,
        );
      }
      r.id();
    },
    ...['issued:read', 'users:read', ''].map((scope): Step => async (r) => {
      const id = r.id();
      const reply = await requestToken(stack, r.client.app, scope, { headers: { 'x-request-id': id } });
      if (reply.status === 200) r.secrets.set(reply.body.access_token, 'an access token');
      r.expectRecord(
        { id, action: 'token.issue', actor: r.client.app.clientId, method: 'POST', route: '/oauth2/token' },
        reply as unknown as Reply<Body>,
      );
    }),
    async (r) => {
      r.id();
      const reply = await requestToken(stack, { ...r.client.app, clientSecret: 'canary-wrong' }, 'issued:read');
      r.expectCount(
        { action: 'token.issue', actor: r.client.app.clientId, method: 'POST', route: '/oauth2/token' },
        reply as unknown as Reply<Body>,
      );
    },
    (r) => denied(r, 'request.denied', 'GET', subjects, (path) => callApi(stack, 'GET', path)),
    (r) =>
      denied(r, 'request.denied', 'GET', subjects, (path) =>
        callApi(stack, 'GET', path, { headers: { authorization: 'Bearer canary.b.c' } }),
      ),
    (r) =>
      denied(r, 'request.denied', 'POST', offers, (path) =>
        callApi(stack, 'POST', path, { body: 'canary', headers: json }),
      ),
    (r) =>
      denied(r, 'credential.claim', 'POST', '/claim', (path) =>
        callApi(stack, 'POST', path, { json: { token: 'canary'.repeat(8).slice(0, 43) } }),
      ),
    (r) =>
      denied(r, 'credential.claim', 'POST', '/claim/complete', (path) =>
        callApi(stack, 'POST', path, { json: { token: 1 } }),
      ),
    (r) => (r.id(), userinfo(r, 'canary', false)),
  ];
}
