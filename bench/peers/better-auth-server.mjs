// better-auth with its OAuth provider on plain node:http. Runs in the folder into which its packages are installed
// (better-auth.ts), and sends the client that it has registered to its parent.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import pg from 'pg';

const [databaseUrl, port, scopeList] = process.argv.slice(2);
const scopes = scopeList.split(' ');
const baseURL = `http://127.0.0.1:${port}`;
const resource = `${baseURL}/api`;

const auth = betterAuth({
  baseURL,
  secret: randomBytes(32).toString('hex'),
  database: new pg.Pool({ connectionString: databaseUrl, max: 12 }),
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  emailAndPassword: { enabled: true },
  disabledPaths: ['/token'],
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } } }),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      scopes,
      resources: [{ identifier: resource, allowedScopes: scopes }],
      clientPrivileges: () => true,
      enforcePerClientResources: false,
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
  ],
});
await (await getMigrations(auth.options)).runMigrations();

// Only a signed-in user may register a client.
const user = { email: 'bench@bench.example', password: randomBytes(16).toString('hex'), name: 'bench' };
const { headers } = await auth.api.signUpEmail({ body: user, returnHeaders: true });
const cookie = headers
  .getSetCookie()
  .map((each) => each.split(';')[0])
  .join('; ');
const client = await auth.api.adminCreateOAuthClient({
  headers: { cookie },
  body: {
    client_name: 'bench',
    grant_types: ['client_credentials'],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_basic',
    client_credentials_scopes: scopes,
  },
});
createServer(toNodeHandler(auth)).listen(Number(port), '127.0.0.1', () =>
  process.send({ clientId: client.client_id, clientSecret: client.client_secret, resource }),
);
process.on('disconnect', () => process.exit());
