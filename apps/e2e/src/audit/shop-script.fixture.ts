import { randomUUID } from 'node:crypto';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { basic, callApi, requestToken } from '../client.ts';
import { exchange, type Reply } from '../http.ts';
import { beginClaim, beginSignIn, origin, tokenOf } from '../sign-in/customer.fixture.ts';
import type { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { stack } from '../under-test.ts';
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
  const made = reply.body as unknown as Offer;
  if (reply.status === 201) recorder.secrets.set(tokenOf(made.claimUrl), 'a claim token');
  return made;
}

/** A claim to its end, by whoever has the link. */
async function claim(recorder: AuditRecorder, made: Offer, authenticator: SoftwareAuthenticator): Promise<void> {
  const token = tokenOf(made.claimUrl);
  const { body, cookie, status } = await beginClaim(recorder.org, token);
  recorder.count(
    { action: 'claim.begin', actor: anonymous, method: 'POST', route: '/o/{shortId}/api/claim/options' },
    { status },
  );
  const response = authenticator.register(body.options, { origin });
  const id = recorder.id();
  const reply = await callApi<Body>(stack, 'POST', `/o/${recorder.org}/api/claim/complete`, {
    json: { token, response },
    headers: { 'x-request-id': id, cookie },
  });
  recorder.note(
    { id, action: 'credential.claim', actor: made.subject, method: 'POST', route: '/o/{shortId}/api/claim/complete' },
    reply,
  );
}

async function spentClaim(recorder: AuditRecorder, token: string): Promise<void> {
  const id = recorder.id();
  const reply = await callApi<Body>(stack, 'POST', `/o/${recorder.org}/api/claim/options`, {
    json: { token },
    headers: { 'x-request-id': id },
  });
  recorder.note(
    { id, action: 'credential.claim', actor: anonymous, method: 'POST', route: '/o/{shortId}/api/claim/options' },
    reply,
  );
}

/** What somebody whom nobody knows sends, and is refused. */
async function refused(
  recorder: AuditRecorder,
  action: 'request.denied' | 'credential.claim',
  method: string,
  template: string,
  send: (path: string) => Promise<Reply<Body>>,
): Promise<void> {
  recorder.id();
  const reply = await send(`/o/${recorder.org}/api${template}`);
  recorder.count({ action, actor: anonymous, method, route: `/o/{shortId}/api${template}` }, reply);
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
  recorder.note(
    { id, action, actor: recorder.client.app.clientId, method: 'POST', route: `/o/{shortId}${path}` },
    reply,
  );
  return reply;
}

async function userinfo(recorder: AuditRecorder, token: string, known: boolean): Promise<void> {
  const id = recorder.id();
  const reply = await exchange<Body>({
    origin: stack.baseUrl,
    path: `/o/${recorder.org}/userinfo`,
    headers: { authorization: `Bearer ${token}`, 'x-request-id': id },
  });
  const call = {
    action: 'customer.userinfo' as const,
    actor: known ? recorder.client.app.clientId : anonymous,
    method: 'GET',
    route: '/o/{shortId}/userinfo',
  };
  if (known) recorder.note({ id, ...call }, reply);
  else recorder.count(call, reply);
}

/** From the authorization URL to the sign-out, with all that an app does between. */
async function signInAndOut(
  recorder: AuditRecorder,
  party: RelyingParty,
  made: Offer,
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
  recorder.note(
    { id, action: 'customer.sign_in', actor: made.subject, method: 'GET', route: '/o/{shortId}/authorize/{uid}' },
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
  const ended = recorder.id();
  const out = await agent.go(`/o/${recorder.org}/session/end?id_token_hint=${body.id_token}`, {
    headers: { 'x-request-id': ended },
  });
  recorder.note(
    { id: ended, action: 'customer.sign_out', actor: made.subject, method: 'GET', route: '/o/{shortId}/session/end' },
    out,
  );
}

/** What a web app does, in no order: each step stands alone. */
export function shopSteps(party: RelyingParty, elsewhere: string): Step[] {
  return [
    (s) => offer(s),
    (s) => offer(s, { offerExpiresIn: 900 }),
    (s) => offer(s, { email: 'canary@example.com' }),
    (s) => s.api('offer.create', 'POST', offers, {}, { body: '{"canary"', headers: json }),
    (s) => s.api('offer.create', 'POST', offers, {}, { body: '{}', headers: { 'content-type': 'text/plain' } }),
    async (s) => {
      const key = { 'idempotency-key': `key-${randomUUID()}` };
      s.secrets.set(key['idempotency-key'], 'an Idempotency-Key');
      await offer(s, {}, key);
      await offer(s, {}, key);
      await offer(s, { offerExpiresIn: 900 }, key);
    },
    async (s) => {
      const made = await offer(s);
      await s.api('subject.read', 'GET', subject, made);
      await s.api('credential.read', 'GET', '/credentials/issued/{id}', { id: made.credentialId });
      await s.api('subject.erase', 'DELETE', subject, made);
      await s.api('subject.read', 'GET', subject, made);
      await s.api('subject.erase', 'DELETE', subject, made);
    },
    async (s) => {
      const made = await offer(s);
      await s.api('offer.read', 'GET', `${offers}/{offerId}`, made);
      await s.api('offer.withdraw', 'DELETE', `${offers}/{offerId}`, made);
      await s.api('offer.withdraw', 'DELETE', `${offers}/{offerId}`, made);
    },
    async (s) => {
      const authenticator = new SoftwareAuthenticator();
      const made = await offer(s);
      await claim(s, made, authenticator);
      await spentClaim(s, tokenOf(made.claimUrl));
      await signInAndOut(s, party, made, authenticator);
      const issued = (act: 'suspend' | 'resume' | 'revoke', options = {}) =>
        s.api(`credential.${act}`, 'POST', `/credentials/issued/{id}/${act}`, { id: made.credentialId }, options);
      await issued('suspend', { json: { reason: 'lost phone' } });
      await issued('resume');
      await issued('resume');
      await issued('revoke');
      await issued('revoke');
    },
    (s) => s.api('credential.read', 'GET', '/credentials/issued/{id}'),
    (s) => s.api('credential.suspend', 'POST', '/credentials/issued/{id}/suspend', { id: 'canary@example.com' }),
    (s) => s.api('subject.read', 'GET', subject),
    (s) => s.api('subject.read', 'GET', subject, { subject: 'canary@example.com' }),
    (s) => s.api('subject.list', 'GET', subjects),
    (s) => s.api('subject.list', 'GET', subjects, {}, { query: '?limit=1&claimed=true' }),
    (s) => s.api('subject.list', 'GET', subjects, {}, { query: '?limit=0&email=canary@example.com' }),
    (s) => s.api('subject.list', 'GET', subjects, {}, { query: '?next_page_token=canary' }),
    (s) => s.call('subject.list', 'GET', `/o/${elsewhere}/api${subjects}`, `/o/{shortId}/api${subjects}`),
    async (s) =>
      s.api(
        'subject.list',
        'GET',
        subjects,
        {},
        { headers: { authorization: `Bearer ${await s.client.with('offers:write').token()}` } },
      ),
    (s) => s.api('audit.list', 'GET', '/admin/audit/events'),
    async (s) => {
      const id = s.id();
      const reply = await exchange<Body>({
        origin: stack.gateways[0]!,
        method: 'HEAD',
        path: `${s.client.api}${subjects}`,
        headers: { authorization: `Bearer ${await s.client.token()}`, 'x-request-id': id },
      });
      s.note(
        {
          id,
          action: 'subject.list',
          actor: s.client.app.clientId,
          method: 'HEAD',
          route: `/o/{shortId}/api${subjects}`,
        },
        reply,
      );
    },
    async (s) => {
      const headers = { authorization: `Bearer ${await s.client.token()}`, 'x-request-id': s.id() };
      for (const _ of [1, 2]) {
        const reply = await callApi<Body>(stack, 'GET', `${s.client.api}${subjects}`, { headers });
        s.note(
          {
            id: headers['x-request-id'],
            action: 'subject.list',
            actor: s.client.app.clientId,
            method: 'GET',
            route: `/o/{shortId}/api${subjects}`,
          },
          reply,
        );
      }
      s.id();
    },
    ...['issued:read', 'users:read', ''].map((scope): Step => async (s) => {
      const id = s.id();
      const reply = await requestToken(stack, s.client.app, scope, { headers: { 'x-request-id': id } });
      if (reply.status === 200) s.secrets.set(reply.body.access_token, 'an access token');
      s.note(
        { id, action: 'token.issue', actor: s.client.app.clientId, method: 'POST', route: '/oauth2/token' },
        reply as unknown as Reply<Body>,
      );
    }),
    async (s) => {
      s.id();
      const reply = await requestToken(stack, { ...s.client.app, clientSecret: 'canary-wrong' }, 'issued:read');
      s.count(
        { action: 'token.issue', actor: s.client.app.clientId, method: 'POST', route: '/oauth2/token' },
        reply as unknown as Reply<Body>,
      );
    },
    (s) => refused(s, 'request.denied', 'GET', subjects, (path) => callApi(stack, 'GET', path)),
    (s) =>
      refused(s, 'request.denied', 'GET', subjects, (path) =>
        callApi(stack, 'GET', path, { headers: { authorization: 'Bearer canary.b.c' } }),
      ),
    (s) =>
      refused(s, 'request.denied', 'POST', offers, (path) =>
        callApi(stack, 'POST', path, { body: 'canary', headers: json }),
      ),
    (s) =>
      refused(s, 'credential.claim', 'POST', '/claim', (path) =>
        callApi(stack, 'POST', path, { json: { token: 'canary'.repeat(8).slice(0, 43) } }),
      ),
    (s) =>
      refused(s, 'credential.claim', 'POST', '/claim/complete', (path) =>
        callApi(stack, 'POST', path, { json: { token: 1 } }),
      ),
    (s) => (s.id(), userinfo(s, 'canary', false)),
  ];
}
