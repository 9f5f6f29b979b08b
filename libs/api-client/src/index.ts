import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema.js';

export type { Operations, Schemas } from './types.js';
export type ApiClient = Client<paths>;

interface Options {
  /** Address of the deployment, such as `https://id.example`. */
  baseUrl: string;
  /** The access token of each request. */
  token: () => Promise<string> | string;
  /** Sends a request, such as with a time limit. Default: the runtime's fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of the HTTP API whose calls have the types of the API reference (docs/reference/openapi.json): paths,
 * parameters, bodies, and for each status what the response has.
 */
export function apiClient({ baseUrl, token, fetch = globalThis.fetch }: Options): ApiClient {
  const client = createClient<paths>({ baseUrl, fetch });
  client.use({
    async onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${await token()}`);
      return request;
    },
  });
  return client;
}

/**
 * The same for a page of the deployment itself: its requests go to the origin of the page, and the cookie of a person's
 * session authorizes them.
 */
export function sessionClient({ baseUrl, fetch = globalThis.fetch }: Omit<Options, 'token'>): ApiClient {
  return createClient<paths>({ baseUrl, fetch });
}
