import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Pool as Database } from 'pg';
import { Pool } from 'undici';
import { CookieJar } from '@holdfast/testing';
import type { Stack } from './stack.ts';
import { figure, megabytes, table } from './table.ts';

interface Declared {
  method: 'GET' | 'POST' | 'OPTIONS';
  path: string;
  operation?: string;
}

interface Request {
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

interface StoredState {
  /** By table, with its schema. */
  rows: Map<string, number>;
  /** Resident bytes by process. */
  memory: Map<string, number>;
  logBytes: number;
}

export interface AnonymousRoute {
  route: string;
  statuses: Record<string, number>;
  perSecond: number;
  /** Tables that have more rows than before. */
  grown: Record<string, number>;
  logBytes: number;
}

export interface Anonymous {
  calls: number;
  routes: AnonymousRoute[];
  before: StoredState;
  after: StoredState;
}

const org = 'acme';
const concurrency = 64;
/** After this number of calls to the routes of a sign-in page a new sign-in is begun. */
const callsPerSignIn = 100;
/** By then denied requests are counted, and outboxes and consumers are idle. */
const settleMs = 6000;

/** Calls every public route of the gateway without a token, and measures what remains of the calls afterwards. */
export async function measureAnonymous(
  stack: Stack,
  database: Database,
  home: string,
  calls: number,
  print: (text: string) => void,
): Promise<Anonymous> {
  // A static import would make the build of the gateway a dependency of the benchmark.
  const built = pathToFileURL(
    fileURLToPath(new URL('../apps/gateway/dist/declared-endpoints.js', import.meta.url)),
  ).href;
  const { declaredEndpoints } = (await import(built)) as { declaredEndpoints: () => Declared[] };
  const routes = declaredEndpoints().filter(({ operation }) => operation === undefined);
  const pool = new Pool(stack.baseUrl, { connections: concurrency });
  const storedState = () => storedStateOf(stack, database, home);
  const before = await storedState();
  const found: AnonymousRoute[] = [];
  let last = before;
  for (const { method, path } of routes) {
    print(`${method} ${path}: ${calls} calls ...`);
    const statuses: Record<string, number> = {};
    const began = performance.now();
    let sent = 0;
    const caller = async (): Promise<void> => {
      let request: Request | undefined;
      for (let own = 0; sent < calls; own += 1) {
        sent += 1;
        if (!request || !path.includes('{uid}') || own % callsPerSignIn === 0)
          request = await requestFor(stack, method, path);
        const status = await send(pool, method, request);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, caller));
    const perSecond = calls / ((performance.now() - began) / 1000);
    await sleep(settleMs);
    const now = await storedState();
    found.push({
      route: `${method} ${path}`,
      statuses,
      perSecond,
      grown: grownBetween(last.rows, now.rows),
      logBytes: now.logBytes - last.logBytes,
    });
    last = now;
  }
  await pool.close();
  return { calls, routes: found, before, after: last };
}

async function send(pool: Pool, method: Declared['method'], { path, headers, body }: Request): Promise<string> {
  try {
    const { statusCode, body: responseBody } = await pool.request({ method, path, headers, body });
    await responseBody.dump();
    return `${Math.floor(statusCode / 100)}xx`;
  } catch {
    return 'none';
  }
}

const random = (): string => randomBytes(32).toString('base64url');

/**
 * A request as an attacker would send it: well-formed, as long as permitted, and with values that are new each time.
 */
async function requestFor(stack: Stack, method: Declared['method'], template: string): Promise<Request> {
  const { origin } = new URL(stack.baseUrl);
  const signIn = template.includes('{uid}') ? await beginSignIn(stack) : undefined;
  const path = template
    .replace('{shortId}', org)
    .replace('{uid}', signIn?.uid ?? random())
    .replace(/\{\w+\}/g, 'none.js');
  const query =
    template.endsWith('/authorize') && method === 'GET'
      ? `?${authorization(stack)}`
      : template.endsWith('/presence/challenge')
        ? `?client_id=${stack.shop.clientId}`
        : '';
  const cookie = signIn?.jar.for(path) ?? '';
  const headers = {
    accept: 'text/html, application/json',
    origin,
    'sec-fetch-site': 'same-origin',
    ...(cookie && { cookie }),
  };
  if (method !== 'POST') return { path: path + query, headers, body: null };
  const isJson = template.includes('/api/');
  const fields = {
    grant_type: 'authorization_code',
    code: random(),
    client_id: stack.shop.clientId,
    client_secret: random(),
    token: random(),
    scope: 'openid',
    refresh_token: random(),
  };
  const body = isJson
    ? JSON.stringify(jsonFor(template))
    : template.endsWith('/authorize')
      ? authorization(stack)
      : new URLSearchParams(fields).toString();
  return {
    path,
    headers: { ...headers, 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' },
    body,
  };
}

function jsonFor(template: string): object {
  const response = { id: random(), rawId: random(), type: 'public-key', response: {} };
  if (template.includes('/claim')) return { token: random(), ...(template.endsWith('/complete') && { response }) };
  return template.endsWith('/complete') ? { response } : {};
}

function authorization({ shop: { clientId, redirectUris } }: Stack): string {
  return new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUris[0]!,
    scope: 'openid',
    state: random().repeat(40),
    nonce: random(),
    code_challenge: random(),
    code_challenge_method: 'S256',
  }).toString();
}

async function beginSignIn(stack: Stack): Promise<{ uid: string; jar: CookieJar }> {
  const response = await fetch(`${stack.baseUrl}/o/${org}/authorize?${authorization(stack)}`, { redirect: 'manual' });
  await response.text();
  const jar = new CookieJar();
  jar.keep(response.headers.getSetCookie());
  return { uid: (response.headers.get('location') ?? '').split('/').at(-1) || random(), jar };
}

async function storedStateOf(stack: Stack, database: Database, home: string): Promise<StoredState> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const rows = new Map<string, number>();
  for (const { name } of tables.rows)
    rows.set(name, Number((await database.query<{ n: string }>(`SELECT count(*) AS n FROM ${name}`)).rows[0]!.n));
  const memory = new Map((await stack.members()).map(({ name, pid }) => [name, residentOf(pid)]));
  return { rows, memory, logBytes: logBytesIn(join(home, 'logs')) };
}

function residentOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

function logBytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

function grownBetween(before: Map<string, number>, after: Map<string, number>): Record<string, number> {
  return Object.fromEntries(
    [...after].map(([name, n]) => [name, n - (before.get(name) ?? 0)] as const).filter(([, added]) => added > 0),
  );
}

export function anonymousTable({ calls, routes, before, after }: Anonymous): string {
  const text = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .sort()
      .map(([name, n]) => `${name} ${n}`)
      .join('\n') || '-';
  const perRoute = table(
    [`${calls} calls of each`, 'statuses', 'per second', 'log bytes per call', 'added rows'],
    routes.map((r) => [r.route, text(r.statuses), figure(r.perSecond), figure(r.logBytes / calls), text(r.grown)]),
  );
  const memory = table(
    ['process', 'MB before', 'MB after'],
    [...after.memory].map(([name, bytes]) => [name, megabytes(before.memory.get(name) ?? 0), megabytes(bytes)]),
  );
  const logs = `The logs have grown by ${megabytes(after.logBytes - before.logBytes)} MB.`;
  return `${perRoute}\n\n${memory}\n\n${logs} Added rows in all:\n${text(grownBetween(before.rows, after.rows))}`;
}
