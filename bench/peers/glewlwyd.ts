import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { basicAuthorization, clientCredentials, scopes, type Peer } from './peer.ts';

const binary = '/usr/bin/glewlwyd';
const modules = '/usr/lib/glewlwyd';
/** Tables, and the administrator `admin` with the password `password`. */
const sqlFiles = ['pgsql', 'postgre.default.sql'].map((name) =>
  join('/usr/share/dbconfig-common/data/glewlwyd/install', name),
);

/** Starts glewlwyd with Debian's package; undefined where that is not installed. */
export async function startGlewlwyd(folder: string, databaseUrl: string, port: number): Promise<Peer | undefined> {
  if (![binary, ...sqlFiles].every((file) => existsSync(file))) return undefined;
  mkdirSync(folder, { recursive: true });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('CREATE EXTENSION IF NOT EXISTS pgcrypto');
  for (const file of sqlFiles) await database.query(readFileSync(file, 'utf8'));
  await database.end();
  const url = `http://127.0.0.1:${port}`;
  const configuration = join(folder, 'glewlwyd.conf');
  writeFileSync(configuration, configurationOf(url, port, new URL(databaseUrl)));
  const child = spawn(binary, ['-c', configuration], { stdio: 'ignore' });
  const end = async (): Promise<void> => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  };
  try {
    const clientSecret = await configure(`${url}/api`, url);
    return {
      name: 'glewlwyd, PostgreSQL',
      version: execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim(),
      url,
      tokenRequest: clientCredentials('/api/oidc/token', basicAuthorization('bench', clientSecret)),
      pid: child.pid!,
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Signs in as the administrator, and creates the provider, the scopes and the client. Resolves to the secret. */
async function configure(api: string, issuer: string): Promise<string> {
  let cookie = '';
  const post = async (path: string, body: unknown): Promise<Response> => {
    const headers = { 'content-type': 'application/json', cookie };
    const response = await fetch(`${api}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`glewlwyd: ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const signIn = () => post('auth/', { username: 'admin', password: 'password' });
  let session: Response | undefined;
  for (let attempt = 1; !session; attempt += 1)
    session = await signIn().catch(async (error: unknown) => {
      if (attempt === 50) throw error;
      await sleep(100);
      return undefined;
    });
  cookie = session.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const parameters = {
    iss: issuer,
    'jwt-type': 'eddsa',
    'jwt-key-size': '256',
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
    'access-token-duration': 600,
    'refresh-token-duration': 1_209_600,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'allow-non-oidc': true,
    'auth-type-client-enabled': true,
    'auth-type-code-enabled': true,
    'auth-type-id-token-enabled': true,
    'auth-type-refresh-enabled': true,
    'jwks-show': true,
    'subject-type': 'public',
  };
  const plugin = { module: 'oidc', name: 'oidc', display_name: 'oidc', order_rank: 0, readonly: false, parameters };
  await post('mod/plugin/', plugin);
  for (const name of scopes.split(' '))
    await post('scope/', { name, display_name: name, password_required: false, scheme: {} });
  const password = randomBytes(24).toString('base64url');
  await post('client/', {
    client_id: 'bench',
    name: 'bench',
    enabled: true,
    confidential: true,
    password,
    authorization_type: ['client_credentials'],
    scope: scopes.split(' '),
    token_endpoint_auth_method: ['client_secret_basic'],
  });
  return password;
}

function configurationOf(url: string, port: number, database: URL): string {
  const { hostname, port: databasePort, pathname, username, password } = database;
  const connection = [
    `host=${hostname} port=${databasePort} dbname=${pathname.slice(1)}`,
    `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`,
  ].join(' ');
  return [
    'bind_address="127.0.0.1"',
    `port=${port}`,
    `external_url="${url}/"`,
    'login_url="login.html"',
    'api_prefix="api"',
    'log_mode="console"',
    'log_level="ERROR"',
    'cookie_secure=0',
    'session_key="GLEWLWYD2_SESSION_ID"',
    'admin_scope="g_admin"',
    'profile_scope="g_profile"',
    `user_module_path="${modules}/user"`,
    `client_module_path="${modules}/client"`,
    `user_auth_scheme_module_path="${modules}/scheme"`,
    `plugin_module_path="${modules}/plugin"`,
    'use_secure_connection=false',
    // Read even when the connection is not secure.
    ...['key_file', 'pem_file', 'ca_file'].map((name) => `secure_connection_${name}="/dev/null"`),
    'hash_algorithm="SHA512"',
    'static_files_mime_types=()',
    `database={ type="postgre"; conninfo="${connection}"; };`,
    '',
  ].join('\n');
}
