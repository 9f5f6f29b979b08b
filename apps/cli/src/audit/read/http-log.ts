import { z } from 'zod';
import { auditBrokenSchema, auditLateMs, exportedEntrySchema } from '@holdfast/contracts';
import { CommandError, TransientCommandError } from '../../command-error.js';
import type { Page, ReadPage } from './live-log.js';

const pageSchema = z.object({
  items: z.array(exportedEntrySchema),
  checkpoint: z.string(),
  hasMore: z.boolean(),
  lateMs: auditLateMs.optional(),
  broken: auditBrokenSchema.optional(),
});
const tokenSchema = z.object({ access_token: z.string() });
const errorSchema = z
  .object({ detail: z.string() })
  .or(z.object({ error_description: z.string() }))
  .or(z.object({ error: z.string() }));

interface HttpAccess {
  /** `https://id.example/o/acme` */
  url: string;
  clientId: string;
  clientSecret: string;
}

/**
 * Reads the log over the Admin API, as an app that was granted `audit:export`.
 *
 * @throws CommandError with the error of the API
 */
export function httpLog({ url, clientId, clientSecret }: HttpAccess): ReadPage {
  const [, base, shortId] = /^(https?:\/\/[^/]+(?:\/.*)?)\/o\/([a-z0-9-]+)\/?$/.exec(url) ?? [];
  if (base === undefined || shortId === undefined)
    throw new CommandError(`${url} is not the address of an organization, such as https://id.example/o/acme.`);
  let token: string | undefined;

  const fetchToken = async (): Promise<string> => {
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'audit:export' });
    const response = await send(`${base}/oauth2/token`, { method: 'POST', headers: { authorization }, body });
    return tokenSchema.parse(await readJson(response)).access_token;
  };

  const fetchPage = async (after: number): Promise<Response> => {
    token ??= await fetchToken();
    return send(`${base}/o/${shortId}/api/admin/audit/entries?after=${after}&limit=500&broken=include`, {
      headers: { authorization: `Bearer ${token}` },
    });
  };

  return async (after): Promise<Page> => {
    let response = await fetchPage(after);
    // A token expires after ten minutes; reading a long log takes longer.
    if (response.status === 401) {
      token = undefined;
      response = await fetchPage(after);
    }
    const { items: entries, ...rest } = pageSchema.parse(await readJson(response));
    return { entries, ...rest };
  };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new TransientCommandError(`${new URL(url).origin} does not answer: ${cause}`);
  }
}

async function readJson(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) return body;
  const parsed = errorSchema.safeParse(body);
  const detail = parsed.success ? `: ${Object.values(parsed.data)[0]}` : '.';
  const message = `${new URL(response.url).pathname} returned status ${response.status}${detail}`;
  // A truncated response counts as none.
  const transient = response.ok || response.status === 429 || response.status >= 500;
  throw transient
    ? new TransientCommandError(message, 1000 * (Number(response.headers.get('retry-after')) || 0))
    : new CommandError(message);
}
