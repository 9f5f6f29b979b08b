import { expect } from '@jest/globals';
import { basic } from '../clients/client.ts';
import { stack } from '../clients/under-test.ts';
import type { Customer } from './customer.fixture.ts';
import type { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

const json = 'application/json; charset=utf-8';
const page = 'text/html; charset=utf-8';
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
/** A header that the response must not have. */
export const absent = null;

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  agent?: UserAgent;
}
/** `type`: the content type; `absent` means that there is no body either. `cache`: Cache-Control. */
interface Expected {
  status: number;
  type: string | null;
  cache: string | null;
  more?: Record<string, unknown>;
}

const form = (parameters: Record<string, string>) => String(new URLSearchParams(parameters));
const post = (path: string, parameters: Record<string, string>, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  body: form(parameters),
  headers: { ...formType, ...headers },
});
const asShop = () => ({ authorization: basic(shop.app) });
const preflight = (path: string): Sent => ({
  method: 'OPTIONS',
  path,
  headers: { origin: 'https://spa.example', 'access-control-request-method': 'POST' },
});
const preflighted: Expected = {
  status: 204,
  type: absent,
  cache: 'no-store',
  more: { 'access-control-allow-origin': 'https://spa.example', vary: expect.stringContaining('Origin') },
};
/** A sign-in that has begun: the browser, and the address of the page's API. */
async function begun(): Promise<{ agent: UserAgent; api: string; uid: string }> {
  const agent = new UserAgent(stack.baseUrl);
  const { location } = await agent.go((await shop.begin()).url);
  const uid = location.split('/').at(-1)!;
  return { agent, uid, api: `/o/${org}/api/sign-in/${uid}` };
}
const step = async (name: string, body = '{}'): Promise<Sent> => {
  const { agent, api } = await begun();
  const headers = { 'content-type': 'application/json', origin: stack.baseUrl, accept: 'application/json' };
  return { method: 'POST', path: api + name, headers, body, agent };
};
const noStore = 'no-store';
/** A response of JSON that asks for no other credentials. */
const inJson = (status: number): Expected => ({
  status,
  type: json,
  cache: noStore,
  more: { 'www-authenticate': absent },
});
/** A response to the script of the sign-in page. */
const toPage: Expected = { status: 200, type: 'application/json', cache: noStore };
/** A refusal that names the scheme to use. */
const refused = (scheme: string): Expected => ({
  ...inJson(401),
  more: { 'www-authenticate': expect.stringContaining(scheme) },
});
const clientCredentials = (more: Record<string, string>, headers: Record<string, string> = asShop()) =>
  post('/oauth2/token', { grant_type: 'client_credentials', scope: 'offers:write', ...more }, headers);
const at = (path: string) => `/o/${org}${path}`;
const authorization = async (more = {}) => (await shop.begin(more)).url.slice(stack.baseUrl.length);

export interface Parties {
  org: string;
  shop: RelyingParty;
  ada: Customer;
}
let org: string;
let shop: RelyingParty;
let ada: Customer;
/** Sets who sends the requests. */
export function sendAs(parties: Parties): void {
  ({ org, shop, ada } = parties);
}

/** By the id of the operation in the description of the API, and by what the request is. */
export const endpoints: Record<string, [what: string, send: () => Sent | Promise<Sent>, expected: Expected][]> = {
  getDiscovery: [
    [
      'metadata',
      () => ({ method: 'GET', path: at('/.well-known/openid-configuration') }),
      { status: 200, type: json, cache: 'public, max-age=60' },
    ],
    [
      'HEAD',
      () => ({ method: 'HEAD', path: at('/.well-known/openid-configuration') }),
      {
        status: 200,
        type: json,
        cache: 'public, max-age=60',
        more: { 'content-length': expect.not.stringMatching(/^0$/) },
      },
    ],
  ],
  getIssuerMetadata: [
    [
      'metadata',
      () => ({ method: 'GET', path: `/.well-known/oauth-authorization-server/o/${org}` }),
      { status: 200, type: json, cache: 'public, max-age=60' },
    ],
  ],
  getIssuerKeys: [
    [
      'keys',
      () => ({ method: 'GET', path: at('/jwks') }),
      {
        status: 200,
        type: expect.stringMatching(/^application\/(jwk-set\+)?json/) as never,
        cache: 'public, max-age=60',
      },
    ],
  ],
  authorize: [
    [
      'a sign-in',
      async () => ({ method: 'GET', path: await authorization() }),
      { status: 303, type: page, cache: noStore, more: { location: expect.stringContaining('/sign-in/') } },
    ],
    [
      'prompt=none',
      async () => ({ method: 'GET', path: await authorization({ prompt: 'none' }) }),
      { status: 303, type: page, cache: noStore, more: { location: expect.stringContaining('error=login_required') } },
    ],
    [
      'an unregistered redirect URI, of a program',
      async () => ({
        method: 'GET',
        path: await authorization({ redirect_uri: 'https://evil.example/' }),
        headers: { accept: 'application/json' },
      }),
      inJson(400),
    ],
  ],
  authorizeByForm: [
    [
      'a sign-in',
      () => post(at('/authorize'), { client_id: shop.app.clientId, response_type: 'code', scope: 'openid' }),
      { status: 303, type: absent, cache: noStore },
    ],
  ],
  resumeSignIn: [
    [
      'a sign-in that nobody began',
      () => ({ method: 'GET', path: at(`/authorize/${'x'.repeat(43)}`), headers: { accept: 'text/html' } }),
      { status: 400, type: page, cache: noStore },
    ],
  ],
  pushAuthorizationRequest: [
    [
      'a request',
      async () => post(at('/par'), Object.fromEntries(new URL((await shop.begin()).url).searchParams), asShop()),
      inJson(201),
    ],
    [
      'a wrong secret',
      () => post(at('/par'), {}, { authorization: basic({ ...shop.app, clientSecret: 'wrong' }) }),
      refused('Basic realm='),
    ],
  ],
  exchangeCode: [
    [
      'a refresh token',
      async () => {
        const { refreshToken } = await shop.signIn(ada.authenticator);
        return post(at('/token'), { grant_type: 'refresh_token', refresh_token: refreshToken }, asShop());
      },
      inJson(200),
    ],
    [
      'an unknown code',
      () => post(at('/token'), { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }, asShop()),
      inJson(400),
    ],
    ['no client', () => post(at('/token'), { grant_type: 'authorization_code', code: 'x' }), refused('Basic realm=')],
  ],
  getUserinfo: [
    [
      'an access token',
      async () => {
        const { accessToken } = await shop.signIn(ada.authenticator);
        return { method: 'GET', path: at('/userinfo'), headers: { authorization: `Bearer ${accessToken}` } };
      },
      inJson(200),
    ],
    [
      'an unknown access token',
      () => ({ method: 'GET', path: at('/userinfo'), headers: { authorization: 'Bearer x' } }),
      refused('Bearer '),
    ],
  ],
  postUserinfo: [
    ['an unknown access token', () => post(at('/userinfo'), {}, { authorization: 'Bearer x' }), refused('Bearer ')],
  ],
  revokeToken: [
    [
      'a refresh token',
      async () =>
        post(at('/token/revocation'), { token: (await shop.signIn(ada.authenticator)).refreshToken }, asShop()),
      { status: 200, type: absent, cache: noStore },
    ],
    [
      'an unknown token',
      () => post(at('/token/revocation'), { token: 'x' }, asShop()),
      { status: 200, type: absent, cache: noStore },
    ],
    [
      'a wrong secret',
      () => post(at('/token/revocation'), { token: 'x' }, { authorization: basic({ ...shop.app, clientSecret: 'x' }) }),
      refused('Basic realm='),
    ],
  ],
  introspectToken: [
    ['an unknown token', () => post(at('/token/introspection'), { token: 'x' }, asShop()), inJson(200)],
    ['no client', () => post(at('/token/introspection'), { token: 'x' }), refused('Basic realm=')],
  ],
  endSession: [
    [
      'nobody who is signed in',
      () => ({ method: 'GET', path: at('/session/end'), headers: { accept: 'text/html' } }),
      { status: 303, type: page, cache: noStore, more: { location: expect.stringContaining('/session/end/success') } },
    ],
  ],
  endSessionByForm: [
    ['a sign-out', () => post(at('/session/end'), { state: 'x' }), { status: 303, type: absent, cache: noStore }],
  ],
  confirmEndSession: [
    [
      'no session',
      () => post(at('/session/end/confirm'), {}, { accept: 'text/html' }),
      { status: 400, type: page, cache: noStore },
    ],
  ],
  getEndSessionResult: [
    [
      'the page',
      () => ({ method: 'GET', path: at('/session/end/success'), headers: { accept: 'text/html' } }),
      { status: 200, type: page, cache: noStore },
    ],
  ],
  authorizeDevice: [
    [
      'an app that does not sign in on devices',
      () => post(at('/device_authorization'), { scope: 'openid' }, asShop()),
      inJson(400),
    ],
    ['no client', () => post(at('/device_authorization'), { scope: 'openid' }), refused('Basic realm=')],
  ],
  getDevicePage: [
    [
      'the page',
      () => ({ method: 'GET', path: at('/device'), headers: { accept: 'text/html' } }),
      { status: 200, type: page, cache: noStore },
    ],
  ],
  confirmDevice: [
    [
      'an unknown code',
      () => post(at('/device'), { user_code: 'BCDF-BCDF' }, { origin: stack.baseUrl, accept: 'text/html' }),
      { status: 200, type: page, cache: noStore },
    ],
  ],
  resumeDeviceSignIn: [
    [
      'no sign-in of this browser',
      () => ({ method: 'GET', path: at(`/device/${'A'.repeat(22)}`), headers: { accept: 'text/html' } }),
      { status: 200, type: page, cache: noStore },
    ],
  ],
  getSignIn: [
    [
      'a sign-in',
      async () => {
        const { agent, api } = await begun();
        return { method: 'GET', path: api, agent };
      },
      toPage,
    ],
  ],
  getSignInOptions: [['a sign-in', () => step('/options'), toPage]],
  completeSignIn: [
    [
      'no response of an authenticator',
      () => step('/complete'),
      { status: 422, type: 'application/problem+json; charset=utf-8', cache: noStore },
    ],
  ],
  cancelSignIn: [['a sign-in', () => step('/cancel'), toPage]],
  preflightToken: [['the origin of a spa app', () => preflight(at('/token')), preflighted]],
  preflightUserinfo: [['the origin of a spa app', () => preflight(at('/userinfo')), preflighted]],
  preflightRevocation: [['the origin of a spa app', () => preflight(at('/token/revocation')), preflighted]],
  preflightPushedRequest: [['the origin of a spa app', () => preflight(at('/par')), preflighted]],
  createToken: [
    ['a secret', () => clientCredentials({}), inJson(200)],
    ['a further parameter', () => clientCredentials({ x: 'y' }), inJson(200)],
    ['an unknown scope', () => clientCredentials({ scope: 'x' }), inJson(400)],
    ['another audience', () => clientCredentials({ resource: 'https://api.example' }), inJson(400)],
    [
      'a wrong secret',
      () => clientCredentials({}, { authorization: basic({ ...shop.app, clientSecret: 'x'.repeat(43) }) }),
      refused('Basic realm='),
    ],
    ['no client', () => clientCredentials({}, {}), refused('Basic realm=')],
  ],
  getResourceMetadata: [
    ['metadata', () => ({ method: 'GET', path: '/.well-known/oauth-protected-resource' }), inJson(200)],
  ],
  getApiMetadata: [
    ['metadata', () => ({ method: 'GET', path: '/.well-known/oauth-protected-resource/api' }), inJson(200)],
  ],
  getServerMetadata: [
    [
      'metadata',
      () => ({ method: 'GET', path: '/.well-known/oauth-authorization-server' }),
      { status: 200, type: expect.stringMatching(/^application\/json/) as never, cache: 'public, max-age=300' },
    ],
  ],
};
