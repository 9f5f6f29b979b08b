import { AccessTokens, type TokenOptions } from './access-tokens.js';
import type { AnyParameters, CallParameters, CallResult } from './call-types.js';
import { routes, type Calls } from './calls.js';
import { isLoopback } from './loopback.js';
import { Sender } from './sender.js';

export interface HoldfastOptions extends TokenOptions {
  /** The organization's short id, such as `acme`. */
  organization: string;
  /** How long an attempt may take. Default: 10 s. */
  timeoutMs?: number;
  /** How often a request that failed is repeated at most, where that changes nothing twice. Default: 4. */
  maxRepeats?: number;
  /** Default: the runtime's. */
  fetch?: typeof globalThis.fetch;
}

export interface Holdfast extends Calls {
  /** Makes a call by its name, and returns the response too: for `ETag`, say, or rate limits. */
  request<Name extends keyof Calls>(
    name: Name,
    parameters: CallParameters<Name>,
  ): Promise<{ data: CallResult<Name>; response: Response }>;
  /**
   * A read of the API whose response is no JSON: the stream, files and tiles of the audit log. The time limit is for
   * the response to begin.
   *
   * @param path with everything after the address of the deployment, such as `/o/acme/api/admin/audit/checkpoint`
   * @param scope the operation that it needs
   */
  fetch(
    path: string,
    scope: string,
    options?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>;
}

/**
 * The API for an app of one organization. Nothing is sent before the first call. One client serves a whole process: its
 * calls share tokens.
 */
export function holdfastClient(options: HoldfastOptions): Holdfast {
  const { baseUrl, organization, timeoutMs = 10_000, maxRepeats = 4, fetch = globalThis.fetch } = options;
  if (new URL(baseUrl).protocol !== 'https:' && !isLoopback(baseUrl))
    throw new TypeError(`baseUrl is ${baseUrl}: only https, and http on this machine, keep tokens secret.`);
  const sender = new Sender(new AccessTokens(options, fetch), { fetch, timeoutMs, maxRepeats });

  async function request(name: keyof Calls, parameters: AnyParameters = {}) {
    const { method, path, isRepeatable } = routes[name];
    const { body, idempotencyKey, ifMatch, requestId, signal } = parameters;
    const headers = new Headers({ accept: 'application/json' });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (isRepeatable) headers.set('idempotency-key', idempotencyKey ?? crypto.randomUUID());
    if (ifMatch !== undefined) headers.set('if-match', ifMatch);
    if (requestId !== undefined) headers.set('x-request-id', requestId);
    const url = urlOf(baseUrl, path, { ...parameters, path: { ...parameters.path, shortId: organization } });
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const scope = scopeOf(name, body);
    const { response, text } = await sender.send({ method, url, headers, ...content, scope, signal });
    return { data: text ? (JSON.parse(text) as unknown) : undefined, response };
  }

  const calls = Object.fromEntries(
    (Object.keys(routes) as (keyof Calls)[]).map((name) => [
      name,
      async (parameters?: AnyParameters) => (await request(name, parameters)).data,
    ]),
  );
  return {
    ...(calls as unknown as Calls),
    request: request as Holdfast['request'],
    async fetch(path, scope, { headers, signal } = {}) {
      const url = new URL(path, baseUrl);
      if (url.origin !== new URL(baseUrl).origin) throw new TypeError(`${path} is not of ${baseUrl}.`);
      return (await sender.send({ method: 'GET', url, headers: new Headers(headers), scope, signal, isStream: true }))
        .response;
    },
  };
}

/** An offer to a known customer needs two operations. With one it would be refused first, which the log would show. */
function scopeOf(name: keyof Calls, body: unknown): string {
  const { scope } = routes[name];
  const isToKnownCustomer =
    name === 'createOffer' && (body as { subject?: unknown } | undefined)?.subject !== undefined;
  return isToKnownCustomer ? `${scope} issued:manage` : scope;
}

function urlOf(baseUrl: string, template: string, { path, query }: AnyParameters): URL {
  const pathname = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path?.[name];
    // A missing one would be another address, and so would `..`.
    if (value === undefined || ['', '.', '..'].includes(String(value)))
      throw new TypeError(`path.${name} is missing, or no name: ${JSON.stringify(value)}`);
    return encodeURIComponent(value);
  });
  const url = new URL(pathname, baseUrl);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}
