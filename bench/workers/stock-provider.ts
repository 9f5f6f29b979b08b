// The baseline of the token endpoint: oidc-provider without changes on plain node:http, which issues the same JWT to
// the same kind of client, without gateway, directory and audit record. It also serves the baseline of `floor`.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, Provider, type AdapterPayload, type JWK } from 'oidc-provider';

const issuer = 'http://localhost:8080';
const api = `${issuer}/api`;
const scopes = process.argv[2]!.split(' ');
const [clientId, clientSecret] = process.argv.slice(3) as [string, string];

const stored = new Map<string, AdapterPayload>();
const memory = {
  find: async (id: string) => stored.get(id),
  upsert: async (id: string, payload: AdapterPayload) => void stored.set(id, payload),
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async (id: string) => void stored.delete(id),
  revokeByGrantId: async () => undefined,
};

const key = {
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  kid: 'bench',
  alg: 'EdDSA',
  use: 'sig',
} as unknown as JWK;
const provider = new Provider(issuer, {
  adapter: () => memory,
  jwks: { keys: [key] },
  routes: { token: '/oauth2/token' },
  scopes,
  responseTypes: [],
  clientAuthMethods: ['client_secret_basic'],
  enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
  ttl: { ClientCredentials: 600 },
  clientDefaults: { grant_types: ['client_credentials'], response_types: [], id_token_signed_response_alg: 'EdDSA' },
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: scopes.join(' '),
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => api,
      getResourceServerInfo: (_ctx, resource) => {
        if (resource !== api) throw new errors.InvalidTarget();
        return {
          scope: scopes.join(' '),
          audience: api,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'EdDSA', kid: 'bench' } },
        };
      },
    },
  },
  extraTokenClaims: () => ({
    org: 'acme',
    client_name: 'shop',
    client_version: 1,
    secret_id: secretId,
    api_version: '2026-11-01',
  }),
});
const secretId = randomUUID();

const handle = provider.callback();
const server = createServer((request, response) => {
  if (request.url === '/healthz')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
  else void handle(request, response);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
