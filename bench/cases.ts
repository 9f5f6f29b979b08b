import type { Pool } from 'pg';
import type { App, Stack } from './stack.ts';
import type { GetArgs, ListArgs, OfferArgs } from './statements.ts';
import type { HttpJob, SignInJob, SqlJob } from './workers/job.ts';

/** A request to the stack and its baseline: the minimum of work for the same result, where there is one. */
export interface Case {
  name: string;
  stack: HttpJob | SignInJob;
  /** Description of the baseline. */
  against: string;
  baseline?: HttpJob | SqlJob;
  /** Overrides the option of the same name. */
  concurrency?: number[];
}

const org = 'acme';
const limit = 50;

/** The token of the page in the middle of the list. */
async function deepPage(stack: Stack, bearer: Record<string, string>, subjects: number): Promise<string> {
  let token = '';
  for (let seen = 0; seen < subjects / 2; seen += 200) {
    const response = await fetch(`${stack.baseUrl}${listPath}?limit=200${token && `&next_page_token=${token}`}`, {
      headers: bearer,
    });
    const { nextPageToken } = (await response.json()) as { nextPageToken?: string };
    if (!nextPageToken) break;
    token = nextPageToken;
  }
  return token;
}

const listPath = `/o/${org}/api/credentials/subjects`;

export async function tokenOf(
  { baseUrl }: Stack,
  app: Pick<App, 'clientId' | 'clientSecret'>,
  scope: string,
): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
  const response = await fetch(`${baseUrl}/oauth2/token`, {
    method: 'POST',
    body,
    headers: { authorization: basic(app) },
  });
  if (!response.ok) throw new Error(`The stack issues no token to the benchmark: ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

function basic({ clientId, clientSecret }: Pick<App, 'clientId' | 'clientSecret'>): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

/**
 * Customers with an open offer, which further offers supersede. There are more of them than concurrent requests, so
 * that requests do not wait for each other's lock.
 */
async function customersWithOffer(url: string, headers: Record<string, string>): Promise<string[]> {
  const make = async () => {
    const response = await fetch(`${url}/o/${org}/api/credentials/offers`, { method: 'POST', headers, body: '{}' });
    return ((await response.json()) as { subject: string }).subject;
  };
  return Promise.all(Array.from({ length: 256 }, make));
}

/**
 * The payload of an event of an offer. Its row is deleted as soon as every consumer has confirmed it, so offers are
 * made until one is found.
 */
async function payloadOfAnOffer(pool: Pool, makeOffer: () => Promise<unknown>): Promise<string> {
  for (let tries = 0; tries < 50; tries += 1) {
    await makeOffer();
    const { rows } = await pool.query<{ payload: string }>(
      `SELECT payload FROM issuance.outbox
       WHERE subject = 'evt.issuance.offer.created' ORDER BY created_at DESC LIMIT 1`,
    );
    if (rows[0]) return rows[0].payload;
  }
  throw new Error('no event of an offer was found in the outbox of issuance');
}

/**
 * All cases, with this stack and this stock provider. Each round needs new ones, since a token is valid ten minutes.
 */
export async function makeCases(
  stack: Stack,
  reader: Pick<App, 'clientId' | 'clientSecret'>,
  pool: Pool,
  stockUrl: string,
  subjects: number,
): Promise<Case[]> {
  const { baseUrl: url, shop, databaseUrl } = stack;
  const bearer = { authorization: `Bearer ${await tokenOf(stack, reader, 'issued:read')}` };
  const offering = {
    authorization: `Bearer ${await tokenOf(stack, shop, 'issued:manage offers:write')}`,
    'content-type': 'application/json',
  };
  const signIn: SignInJob = {
    kind: 'sign-in',
    url,
    org,
    clientId: shop.clientId,
    clientSecret: shop.clientSecret,
    redirectUri: shop.redirectUris[0]!,
    scope: 'openid',
    offering: offering.authorization,
  };
  const tokenRequest = {
    method: 'POST' as const,
    path: '/oauth2/token',
    headers: { authorization: basic(shop), 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&scope=${encodeURIComponent('issued:read offers:write')}`,
  };
  const health = { kind: 'http' as const, requests: [{ method: 'GET' as const, path: '/healthz' }], expect: 200 };
  const get = (path: string): HttpJob => ({
    kind: 'http',
    url,
    requests: [{ method: 'GET', path, headers: bearer }],
    expect: 200,
  });
  const sql = (statement: string, args: unknown): SqlJob => ({ kind: 'sql', url: databaseUrl, statement, args });

  const payload = await payloadOfAnOffer(pool, () =>
    fetch(`${url}/o/${org}/api/credentials/offers`, { method: 'POST', headers: offering, body: '{}' }),
  );
  const seeded = await pool.query<{ subject: string }>(
    'SELECT subject FROM subjects.subject WHERE app = $1 LIMIT 200',
    [reader.clientId],
  );
  const ids = seeded.rows.map((r) => r.subject);
  const half = await pool.query<{ at: Date; subject: string }>(
    `SELECT created_at AS at, subject FROM subjects.subject
     WHERE org = $1 AND app = $2 AND subject IS NOT NULL
     ORDER BY created_at DESC, subject DESC OFFSET $3 LIMIT 1`,
    [org, reader.clientId, Math.floor(subjects / 2) - 1],
  );
  const after = { createdAt: half.rows[0]!.at.toISOString(), subject: half.rows[0]!.subject };
  const page = { org, app: reader.clientId, limit: limit + 1 };

  const customers = await customersWithOffer(url, offering);
  return [
    {
      name: 'floor',
      stack: { ...health, url },
      against: 'the same response from plain node:http',
      baseline: { ...health, url: stockUrl },
    },
    {
      name: 'token',
      stack: { kind: 'http', url, requests: [tokenRequest], expect: 200 },
      against: 'stock oidc-provider, same JWT',
      baseline: { kind: 'http', url: stockUrl, requests: [tokenRequest], expect: 200 },
    },
    {
      name: 'offer',
      stack: {
        kind: 'http',
        url,
        requests: [{ method: 'POST', path: `/o/${org}/api/credentials/offers`, headers: offering, body: '{}' }],
        expect: 201,
      },
      against: 'one bare statement, same rows',
      baseline: sql('offer', { payload } satisfies OfferArgs),
    },
    {
      name: 'further-offer',
      stack: {
        kind: 'http',
        url,
        expect: 201,
        requests: customers.map((subject) => ({
          method: 'POST',
          path: `/o/${org}/api/credentials/offers`,
          headers: offering,
          body: JSON.stringify({ subject }),
        })),
      },
      against: 'one bare statement, the rows of a first offer',
      baseline: sql('offer', { payload } satisfies OfferArgs),
    },
    {
      name: 'get',
      stack: { ...get(''), requests: ids.map((id) => ({ method: 'GET', path: `${listPath}/${id}`, headers: bearer })) },
      against: 'bare read by primary key',
      baseline: sql('get', { org, app: reader.clientId, subjects: ids } satisfies GetArgs),
    },
    {
      name: 'list',
      stack: get(`${listPath}?limit=${limit}`),
      against: 'bare keyset query',
      baseline: sql('list', page satisfies ListArgs),
    },
    {
      name: 'deep-list',
      stack: get(`${listPath}?limit=${limit}&next_page_token=${await deepPage(stack, bearer, subjects)}`),
      against: 'bare keyset query',
      baseline: sql('deep-list', { ...page, after } satisfies ListArgs),
    },
    { name: 'sign-in', stack: signIn, against: '-', concurrency: [1, 8] },
  ];
}
