/* eslint-disable max-lines -- one house is started once, and each way of being refused is a test */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import {
  accessChanges, accessFeedSubject, accessTokenClaimsSchema, appendRecords, getClient, operationNames, platformKeys,
  type App, type AuditRecord, type BusUser, type ReplyOf, type RequestOf, type ServiceName,
} from '@holdfast/contracts';
import { Bus, connectBus, Handles, RefusalCounter, startService, type RunningService } from '@holdfast/bus';
import { AppError, createLogger, keyedHash, type BaseConfig } from '@holdfast/kit';
import { migrate } from '@holdfast/data';
import { createTestDatabase, eventually, freePort, startTestBus, testContext, type TestBus, type TestDatabase } from '@holdfast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { importJWK, jwtVerify, type JWK } from 'jose';
import { AuthModule } from './app.module.js';
import type { Config } from './config.js';
import { createHttpApp } from './http-app.js';
import { migrations } from './migrations/index.js';

const pepper = Buffer.alloc(32, 7);
const base = 'http://localhost:8080';

/** A directory that the test writes. */
const book = { seq: 1, clients: new Map<string, ReplyOf<typeof getClient>>(), asked: 0 };

@Controller()
class Directory {
  @Handles(getClient)
  async client({ clientId }: RequestOf<typeof getClient>): Promise<ReplyOf<typeof getClient>> {
    book.asked += 1;
    const found = book.clients.get(clientId);
    if (!found) throw new AppError('unknown_app');
    return structuredClone(found);
  }

  @Handles(accessChanges)
  async changes(): Promise<ReplyOf<typeof accessChanges>> {
    const entries = [...book.clients.keys()].map((id) => ({ seq: book.seq, kind: 'app' as const, id, disabled: false, minVersion: 0, revokedSecrets: [] }));
    return { seq: book.seq, entries };
  }
}
@Module({ controllers: [Directory] })
class DirectoryModule {}

const log = { records: [] as { org: string; record: AuditRecord }[], away: false };

@Controller()
class Audit {
  @Handles(appendRecords)
  async append({ records }: RequestOf<typeof appendRecords>): Promise<Record<string, never>> {
    if (log.away) throw new AppError('unavailable');
    log.records.push(...records);
    return {};
  }
}
@Module({ controllers: [Audit] })
class AuditModule {}

let nats: TestBus;
let database: TestDatabase;
let auth: RunningService;
let directory: RunningService | undefined;
let audit: RunningService;
let heart: NatsConnection;
let gateway: NatsConnection;
let port: number;
let beating: NodeJS.Timeout;
const lines: string[] = [];

const configOf = (user: BusUser): BaseConfig => ({
  NATS_URL: nats.url, NATS_NKEY_SEED: nats.seed(user), BASE_URL: base, OPS_PORT: 0, OPS_HOST: '127.0.0.1', LOG_LEVEL: 'debug', HOLDFAST_REPLICA: '1', HOLDFAST_EXIT_WITH_PARENT: false,
});
const silent = createLogger('test', 'fatal');
const start = (service: ServiceName, module: typeof AuditModule) => startService({ service, config: configOf(service), module, logger: silent });
const beat = () => heart.publish(accessFeedSubject, JSON.stringify({ seq: book.seq }));
const connect = (user: BusUser) => connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, silent);

async function startAuth(httpPort: number): Promise<RunningService> {
  const config: Config = {
    ...configOf('auth'), DATABASE_URL: database.url(), DATABASE_POOL: 4, HTTP_PORT: httpPort, HTTP_HOST: '127.0.0.1', SECRET_PEPPER: pepper, KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9),
  };
  const logger = createLogger('auth', 'debug', '1', { write: (line) => void lines.push(line) });
  return startService({ service: 'auth', config, module: AuthModule, database: { url: config.DATABASE_URL, pool: 4 }, createApp: createHttpApp(config), logger });
}

beforeAll(async () => {
  [nats, database] = await Promise.all([startTestBus(), createTestDatabase('auth', (url) => migrate('auth', url, migrations))]);
  [directory, audit, heart, gateway] = await Promise.all([start('directory', DirectoryModule), start('audit', AuditModule), connect('directory'), connect('gateway')]);
  beating = setInterval(beat, 100);
  port = await freePort();
  auth = await startAuth(port);
  await eventually(async () => (await fetch(`http://127.0.0.1:${auth.opsPort}/readyz`)).ok);
});

afterAll(async () => {
  clearInterval(beating);
  await auth.stop();
  await Promise.all([directory?.stop(), audit.stop(), heart.close(), gateway.close()]);
  await Promise.all([nats.stop(), database.drop()]);
});

beforeEach(() => {
  log.records = [];
  log.away = false;
});

function newClient(changes: Partial<App> = {}, orgSuspended = false) {
  const clientId = `app_${randomBytes(16).toString('base64url')}`;
  const secrets = ['first', 'second'].map((name) => ({ id: `sec_${name}`, secret: randomBytes(32).toString('base64url') }));
  const app: App = {
    clientId, org: 'acme', name: 'Shop', kind: 'web', audience: 'customers', redirectUris: [], scopes: ['offers:write', 'issued:read'], disabled: false,
    apiVersion: '2026-11-01', version: 3, createdAt: '2026-11-21T09:30:00.000Z', ...changes,
  };
  book.clients.set(clientId, { app, orgSuspended, secrets: secrets.map(({ id, secret }) => ({ id, hash: keyedHash(pepper, secret).toString('base64url') })) });
  return { clientId, app, secret: secrets[0]!.secret, second: secrets[1]!.secret };
}

interface Answer { status: number; headers: Headers; text: string; json: Record<string, unknown> }

async function post(body: string | Record<string, string>, { clientId, secret }: { clientId?: string; secret?: string } = {}, headers: Record<string, string> = {}, path = '/oauth2/token', to = port): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${to}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(clientId && { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }),
      ...headers,
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text ? (JSON.parse(text) as Record<string, unknown>) : {} };
}
const ask = (scope: string) => ({ grant_type: 'client_credentials', scope });

/** Changes the book as directory does: state first, then seq and heartbeat. */
async function change(edit: () => void): Promise<void> {
  edit();
  book.seq += 1;
  beat();
  await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a token', () => {
  test('is RFC 9068, signed with the platform key, with the claims of the contract', async () => {
    const client = newClient();
    const { status, headers, json } = await post(ask('offers:write issued:read'), client, { 'x-request-id': 'req-1' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'offers:write issued:read' });
    expect([headers.get('cache-control'), headers.get('x-request-id'), headers.get('access-control-allow-origin')]).toEqual(['no-store', 'req-1', null]);
    const { keys } = await new Bus(gateway).request(platformKeys, {}, testContext());
    expect(keys.map((k) => Object.keys(k).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x']]);
    const { payload, protectedHeader } = await jwtVerify(json.access_token as string, await importJWK(keys[0] as JWK), { issuer: base, audience: `${base}/api`, typ: 'at+jwt', algorithms: ['EdDSA'] });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: keys[0]!.kid });
    expect(accessTokenClaimsSchema.strict().parse(payload)).toMatchObject({
      sub: client.clientId, client_id: client.clientId, org: 'acme', client_name: 'Shop', client_version: 3, secret_id: 'sec_first', api_version: '2026-11-01', scope: 'offers:write issued:read',
    });
    expect(payload.exp! - payload.iat!).toBe(600);
  });

  test('names the second secret when that obtained it', async () => {
    const { clientId, second } = newClient();
    const { json } = await post(ask('issued:read'), { clientId, secret: second });
    expect(JSON.parse(Buffer.from((json.access_token as string).split('.')[1]!, 'base64url').toString())).toMatchObject({ secret_id: 'sec_second' });
  });

  test('is given with all fourteen operations to a service app', async () => {
    const client = newClient({ kind: 'service', scopes: operationNames });
    expect((await post(ask(operationNames.join(' ')), client)).json).toMatchObject({ scope: operationNames.join(' ') });
  });

  test('takes the resource that it is for, and no other', async () => {
    const client = newClient();
    expect((await post({ ...ask('issued:read'), resource: `${base}/api` }, client)).status).toBe(200);
    expect((await post({ ...ask('issued:read'), resource: 'https://elsewhere.example' }, client)).json).toMatchObject({ error: 'invalid_target' });
  });
});

describe('the scope is all or nothing', () => {
  test.each([
    ['unknown', 'offers:write no:such'], ['ungranted', 'offers:write issued:manage'], ['an Admin API operation', 'users:read'], ['never grantable', 'roles:manage'],
    ['never grantable beside granted', 'issued:read vault:manage'], ['empty', ''], ['a space too many', 'offers:write  issued:read'], ['another case', 'Offers:Write'],
    ['openid', 'openid'], ['not ASCII', 'offers:wríte'], ['very long', 'offers:write '.repeat(900).trim()],
  ])('%s', async (_, scope) => {
    const { status, json, headers } = await post(ask(scope), newClient());
    expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_scope' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
  test('missing', async () => expect((await post({ grant_type: 'client_credentials' }, newClient())).json).toMatchObject({ error: 'invalid_scope' }));
  test('granted, but not to such an app: the grant is not taken at its word', async () => {
    expect((await post(ask('users:read'), newClient({ scopes: ['users:read'] }))).json).toMatchObject({ error: 'invalid_scope' });
  });
});

describe('a request that is not what it should be', () => {
  const form = 'grant_type=client_credentials&scope=issued:read';
  test.each([
    ['scope twice', `${form}&scope=issued:read`], ['grant_type twice', `${form}&grant_type=client_credentials`],
    ['a secret in the body as well', `${form}&client_secret=abc`], ['another client_id in the body', `${form}&client_id=app_other`], ['no grant_type', 'scope=issued:read'],
  ])('%s', async (_, body) => {
    const { status, json } = await post(body, newClient());
    expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_request' });
  });
  test('parameters in the URI', async () => {
    const { clientId, secret } = newClient();
    expect((await post(form, { clientId, secret }, {}, '/oauth2/token?client_id=x')).json).toMatchObject({ error: 'invalid_request' });
    expect((await post('', {}, {}, `/oauth2/token?${form}&client_id=${clientId}&client_secret=${secret}`)).json).toMatchObject({ error: 'invalid_request' });
  });
  test.each(['password', 'authorization_code', 'refresh_token', 'implicit'])('grant_type %s', async (grant_type) => {
    expect((await post({ ...ask('issued:read'), grant_type }, newClient())).json).toMatchObject({ error: 'unsupported_grant_type' });
  });
  test('JSON', async () => {
    expect((await post('{}', newClient(), { 'content-type': 'application/json' })).json).toMatchObject({ error: 'invalid_request' });
  });
  test('whatever it accepts, the answer is JSON', async () => {
    expect((await post(ask('no:such'), newClient(), { accept: 'text/html' })).headers.get('content-type')).toContain('application/json');
  });
  test('a browser of another origin may not read the answer', async () => {
    const { headers } = await post(ask('issued:read'), newClient(), { origin: 'https://evil.example' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
  test('a megabyte of scope is refused at once, with little work', async () => {
    const client = newClient();
    await post(ask('issued:read'), client);
    const body = `grant_type=client_credentials&scope=${'offers:write '.repeat(80_000)}`;
    const before = process.cpuUsage();
    const { status, json } = await post(body, client);
    const { user, system } = process.cpuUsage(before);
    expect({ status, error: json.error }).toEqual({ status: 413, error: 'invalid_request' });
    // Client and server share this process: the sending is in it.
    expect(user + system).toBeLessThan(50_000);
  });
  test('nor does it help to send it without a length', async () => {
    const { clientId, secret } = newClient();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
      const sending = request({ port, path: '/oauth2/token', method: 'POST', headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.on('error', reject);
      sending.write('grant_type=client_credentials&scope=');
      for (let i = 0; i < 20; i += 1) sending.write('a'.repeat(50_000));
      sending.end();
    });
    expect(status).toBe(400);
  });
  test('other methods and addresses', async () => {
    const url = `http://127.0.0.1:${port}`;
    const get = await fetch(`${url}/oauth2/token`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    for (const path of ['/auth', '/jwks', '/me', '/token', '/oauth2/token/', '/OAuth2/token', '/.well-known/openid-configuration']) expect((await fetch(url + path)).status).toBe(404);
  });
});

describe('who is not the client', () => {
  const shown = ({ status, text, headers }: Answer) => {
    const kept = Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)));
    return JSON.stringify({ status, text, kept });
  };
  test('wrong secret, unknown client, disabled app and suspended organization are told the same, byte for byte', async () => {
    const known = newClient();
    const wrong = await post(ask('issued:read'), { clientId: known.clientId, secret: known.secret.replace(/.$/, '_') });
    const unknown = await post(ask('issued:read'), { clientId: `app_${'a'.repeat(22)}`, secret: known.secret });
    expect(wrong.status).toBe(401);
    expect(wrong.json).toEqual({ error: 'invalid_client', error_description: 'client authentication failed' });
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    for (const other of [unknown, await post(ask('issued:read'), newClient({ disabled: true })), await post(ask('issued:read'), newClient({}, true)), await post(ask('no:such'), { clientId: 'x', secret: 'y' })]) {
      expect(shown(other)).toBe(shown(wrong));
    }
  });
  test('no credentials, or credentials in the body alone', async () => {
    const { clientId, secret } = newClient();
    for (const body of [ask('issued:read'), { ...ask('issued:read'), client_id: clientId, client_secret: secret }]) {
      const { status, json, headers } = await post(body);
      expect({ status, error: json.error }).toEqual({ status: 401, error: 'invalid_client' });
      expect(headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });
  test.each(['Bearer abc', 'Basic', 'Basic !!!', `Basic ${Buffer.from('nocolon').toString('base64')}`, 'Basic a b'])('the header %s', async (authorization) => {
    const { status } = await post(ask('issued:read'), {}, { authorization });
    expect([400, 401]).toContain(status);
  });
});

describe('changes in directory', () => {
  test('a client is asked for once, and again after a change', async () => {
    const client = newClient();
    await post(ask('issued:read'), client);
    const { asked } = book;
    for (let i = 0; i < 5; i += 1) expect((await post(ask('issued:read'), client)).status).toBe(200);
    expect(book.asked).toBe(asked);
    await change(() => (book.clients.get(client.clientId)!.app.disabled = true));
    expect((await post(ask('issued:read'), client)).status).toBe(401);
  });
  test('a scope that was taken away is refused at once', async () => {
    const client = newClient();
    expect((await post(ask('offers:write'), client)).status).toBe(200);
    await change(() => (book.clients.get(client.clientId)!.app.scopes = ['issued:read']));
    expect((await post(ask('offers:write'), client)).json).toMatchObject({ error: 'invalid_scope' });
  });
  test('a silent feed: directory is asked each time, and when it is away there is no token', async () => {
    const client = newClient();
    await post(ask('issued:read'), client);
    clearInterval(beating);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const { asked } = book;
    for (let i = 0; i < 3; i += 1) expect((await post(ask('issued:read'), client)).status).toBe(200);
    expect(book.asked).toBe(asked + 3);
    await directory!.stop();
    const { status, json, headers } = await post(ask('issued:read'), client);
    expect({ status, json, retry: headers.get('retry-after') }).toEqual({ status: 503, json: { error: 'temporarily_unavailable', error_description: 'try again in a moment' }, retry: '1' });
    directory = await start('directory', DirectoryModule);
    beating = setInterval(beat, 100);
    await eventually(async () => (await post(ask('issued:read'), client)).status === 200);
  });
});

describe('the record', () => {
  const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  test('of a token stands in the log of the organization before the answer leaves', async () => {
    const client = newClient();
    await post(ask('issued:read'), client, { 'x-request-id': 'req-7', traceparent: trace });
    expect(log.records).toMatchObject([{ org: 'acme', record: {
      action: 'token.issue', actor: { type: 'app', id: client.clientId, name: 'Shop' }, outcome: { result: 'success', status: 200 },
      request: { id: 'req-7', traceparent: trace, method: 'POST', route: '/oauth2/token' }, changes: { scope: { to: 'issued:read' } },
    } }]);
  });
  test('of a refusal too', async () => {
    await post(ask('users:read'), newClient());
    expect(log.records).toMatchObject([{ record: { outcome: { result: 'denied', status: 400, code: 'invalid_scope' } } }]);
  });
  test('of wrong secrets is a count, and an unknown client leaves none', async () => {
    const client = newClient();
    for (let i = 0; i < 3; i += 1) await post(ask('issued:read'), { ...client, secret: 'wrong' });
    await post(ask('issued:read'), { clientId: `app_${'b'.repeat(22)}`, secret: 'wrong' });
    expect(log.records).toEqual([]);
    await auth.app.get(RefusalCounter).flush();
    const mine = log.records.filter(({ record }) => record.actor.id === client.clientId);
    expect(mine).toMatchObject([{ org: 'acme', record: { outcome: { result: 'denied', status: 401, code: 'invalid_client', count: 3 } } }]);
    expect(log.records.some(({ record }) => record.actor.id.includes('bbbbb'))).toBe(false);
  });
  test('cannot be made: no token', async () => {
    log.away = true;
    const { status, json } = await post(ask('issued:read'), newClient());
    expect({ status, error: json.error, token: json.access_token }).toEqual({ status: 503, error: 'temporarily_unavailable', token: undefined });
  });
});

describe('keys', () => {
  test('fifty first starts at the same time make one', async () => {
    await database.query('DELETE FROM auth.signing_key');
    const { SigningKeys } = await import('./keys/signing-keys.js');
    const keys = auth.app.get(SigningKeys);
    const all = await Promise.all(Array.from({ length: 50 }, () => keys.load('platform')));
    expect(new Set(all.flat().map((k) => k.kid)).size).toBe(1);
    const [row] = await database.query<{ private_jwk: Buffer }>('SELECT private_jwk FROM auth.signing_key');
    expect(row!.private_jwk.toString('latin1')).not.toContain(all[0]![0]!.d);
  });
});

test('no line of the log holds a secret or a token', () => {
  const all = lines.join('');
  expect(all).toContain('refused a token');
  for (const { secrets } of book.clients.values()) for (const { hash } of secrets) expect(all).not.toContain(hash);
  expect(all).not.toMatch(/eyJ|Basic [A-Za-z0-9]/);
});
