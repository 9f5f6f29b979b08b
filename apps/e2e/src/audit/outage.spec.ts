// While the log cannot be written, reads are answered with 503 within two seconds. Changes succeed, and the log has
// them afterwards, once.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { basic, callApi, Client } from '../clients/client.ts';
import { closeConnections, exchange, type Reply } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { beginClaim, beginSignIn, newCustomer, origin, tokenOf, type Customer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { times } from '../stack/parallel.ts';
import { outages } from './outage.fixture.ts';

/** The promise is two seconds. The rest is for the way, and for a busy machine, where every request is slow. */
let promptMs = 2600;
const latenessFactor = 10;
/** The headers of every response and of a 503. No other header may be there. */
const permittedHeaders = new RegExp(
  '^(ratelimit(-policy)?|x-request-id|holdfast-request-id|traceparent|cache-control|x-content-type-options|' +
    'referrer-policy|x-frame-options|strict-transport-security|vary|content-type|content-length|transfer-encoding|' +
    'retry-after|date|connection|keep-alive|content-security-policy|access-control-.*)$',
);

let party: RelyingParty;
let shop: Client;
let auditor: Client;
let ada: Customer;
beforeAll(async () => {
  const org = await stack.newOrganization();
  party = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  shop = new Client(stack, party.app, customerScopes);
  auditor = new Client(stack, await stack.newApp(org, 'auditor', ['audit:read'], 'service'));
  ada = await newCustomer(shop);
});
afterAll(closeConnections);

const responseOf = ({ status, headers, text }: Pick<Reply<unknown>, 'status' | 'headers' | 'text'>) => ({
  status,
  unavailable: /"(?:code|error)":"(unavailable|temporarily_unavailable)"/.test(text),
  headers: Object.keys(headers).filter((name) => !permittedHeaders.test(name)),
  revealing: text.includes(ada.subject) || text.includes(shop.app.org),
});
const unavailable = { status: 503, unavailable: true, headers: [], revealing: false };

describe.each(outages)('while $name', ({ begin, end }) => {
  const changes = new Map<string, string>();
  const reads: string[] = [];
  const id = () => ({ 'x-request-id': randomUUID() });
  const changing = (what: string) => {
    const headers = id();
    changes.set(headers['x-request-id'], what);
    return { headers };
  };

  it('answers reads, denied requests, tokens and sign-ins with 503, and makes changes', async () => {
    const { agent, accessToken, refreshToken } = await party.signIn(ada.authenticator);
    const toErase = (await shop.offer()).body;
    const toWithdraw = (await shop.offer()).body;
    const open = (await shop.offer()).body;
    const phone = new SoftwareAuthenticator();
    const {
      body: { options },
      cookie,
    } = await beginClaim(shop.app.org, tokenOf(open.claimUrl));
    const [bearer, token] = [await shop.token(), await auditor.token()];
    const signingIn = new UserAgent(stack.baseUrl);
    const page = await beginSignIn(signingIn, (await party.begin()).url);
    const { json } = await signingIn.post(`${page}/options`);

    const usual = await Promise.all(times(20).map(() => shop.get(ada.subject)));
    promptMs = 2600 + latenessFactor * Math.max(...usual.map(({ milliseconds }) => milliseconds));
    await begin();
    try {
      const read = async (call: (headers: Record<string, string>) => Promise<Reply<unknown>>) => {
        const headers = id();
        reads.push(headers['x-request-id']);
        const reply = await call(headers);
        return { ...responseOf(reply), prompt: reply.milliseconds < promptMs || reply.milliseconds };
      };
      const api = (method: string, path: string, accessToken: string = bearer) =>
        read((headers) =>
          callApi(stack, method, path, {
            headers: { ...headers, ...(accessToken && { authorization: `Bearer ${accessToken}` }) },
          }),
        );
      const form = (path: string, body: Record<string, string>, authorization = basic(party.app)) =>
        read((headers) =>
          exchange({
            origin: stack.baseUrl,
            method: 'POST',
            path,
            headers: { ...headers, authorization, 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams(body).toString(),
          }),
        );
      const browse = async (go: () => Promise<{ status: number; headers: Headers; text: string }>) => {
        const began = performance.now();
        const response = await go();
        return {
          ...responseOf({ ...response, headers: Object.fromEntries(response.headers) }),
          prompt: performance.now() - began < promptMs || performance.now() - began,
        };
      };
      const responses = await Promise.all([
        ...times(10).map(() => api('GET', `${shop.api}/credentials/subjects/${ada.subject}`)),
        api('GET', `${shop.api}/credentials/subjects`),
        read(
          (headers) =>
            exchange({
              origin: stack.baseUrl,
              method: 'HEAD',
              path: `${shop.api}/credentials/subjects`,
              headers: { ...headers, authorization: `Bearer ${bearer}` },
            }),
          // A response to HEAD has no body that could contain the code.
        ).then((response) => ({ ...response, unavailable: true })),
        api('GET', `${shop.api}/credentials/subjects/${randomUUID()}`),
        api('GET', `${shop.api}/credentials/subjects?limit=0`),
        api('GET', '/o/globex/api/credentials/subjects'),
        api('GET', `${shop.api}/credentials/subjects`, ''),
        api('GET', `${shop.api}/credentials/subjects`, 'a.b.c'),
        api('GET', `${shop.api}/credentials/subjects`, token),
        api('GET', `${shop.api}/admin/audit/events`, token),
        form('/oauth2/token', { grant_type: 'client_credentials', scope: 'issued:read' }),
        form('/oauth2/token', { grant_type: 'client_credentials', scope: 'users:read' }),
        form(
          '/oauth2/token',
          { grant_type: 'client_credentials', scope: 'issued:read' },
          basic({ ...party.app, clientSecret: 'wrong' }),
        ),
        form(`/o/${shop.app.org}/token`, { grant_type: 'refresh_token', refresh_token: refreshToken }),
        form(`/o/${shop.app.org}/token/revocation`, { token: 'nothing' }),
        read((headers) =>
          exchange({
            origin: stack.baseUrl,
            path: `/o/${shop.app.org}/userinfo`,
            headers: { ...headers, authorization: `Bearer ${accessToken}` },
          }),
        ),
        read((headers) =>
          exchange({
            origin: stack.baseUrl,
            path: `/o/${shop.app.org}/userinfo`,
            headers: { ...headers, authorization: 'Bearer x' },
          }),
        ),
        read((headers) =>
          callApi(stack, 'POST', `/o/${shop.app.org}/api/claim/options`, { headers, json: { token: ada.token } }),
        ),
        read((headers) =>
          callApi(stack, 'POST', `/o/${shop.app.org}/api/claim`, { headers, json: { token: 'x'.repeat(43) } }),
        ),
        browse(async () => agent.go((await party.begin()).url)),
        browse(async () => {
          const done = await signingIn.post(`${page}/complete`, {
            response: ada.authenticator.authenticate(json.options as object, { origin }),
          });
          return signingIn.go(done.json.redirectTo as string);
        }),
      ]);
      expect(responses).toEqual(responses.map(() => ({ ...unavailable, prompt: true })));

      const changed = await Promise.all([
        shop.offer({}, changing('offer.create')),
        shop.withdraw(toWithdraw.offerId, changing('offer.withdraw')),
        shop.erase(toErase.subject, changing('subject.erase')),
        callApi(stack, 'POST', `/o/${shop.app.org}/api/claim/complete`, {
          headers: { ...changing('credential.claim').headers, cookie },
          json: { token: tokenOf(open.claimUrl), response: phone.register(options, { origin }) },
        }),
      ]);
      expect(changed.map((reply) => reply.status)).toEqual([201, 204, 204, 200]);
    } finally {
      await end();
    }
  });

  it('has each change in the log once, without a gap, and answers reads again afterwards', async () => {
    await eventually(async () => (await shop.get(ada.subject)).status === 200, 'reads to be answered again');
    const log = await eventually(async () => {
      const whole = await auditor.wholeLog();
      return [...changes.keys()].every((change) => whole.some((e) => e.request.id === change)) && whole;
    }, 'the records of the changes');
    const found = [...changes.keys()].map((change) =>
      log.filter((e) => e.request.id === change).map((e) => [e.action, e.outcome.result]),
    );
    expect(found).toEqual([...changes.values()].map((action) => [[action, 'success']]));
    expect(reads.filter((r) => log.filter((e) => e.request.id === r).length > 1)).toEqual([]);
    expect(log.map((e) => e.seq)).toEqual(times(log.length).map((i) => log.length - i));
  });
});
