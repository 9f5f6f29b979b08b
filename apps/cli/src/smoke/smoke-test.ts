import { z } from 'zod';
import {
  createApp,
  createOrganization,
  createSecret,
  listApps,
  listOrganizations,
  revokeSecret,
  setPresencePolicy,
  type App,
} from '@holdfast/contracts';
import { CommandError } from '../command-error.js';
import type { OperatorSession } from '../operator-session.js';

const org = 'holdfast-smoke';
const scopes = ['offers:write', 'issued:read'];
const timeoutMs = 15_000;
const tokenSchema = z.object({ access_token: z.string() });
const offerSchema = z.object({ offerId: z.string() });
const listSchema = z.object({ items: z.array(z.unknown()) });

/**
 * @returns the steps that succeeded
 * @throws CommandError that names the step that failed, and how
 */
export async function smokeTest(session: OperatorSession, gateway: string): Promise<string[]> {
  const { clientId } = await smokeApp(session);
  const secret = await session.request(createSecret, { clientId }, org);
  try {
    return await asApp(gateway, clientId, secret.clientSecret);
  } finally {
    await session.request(revokeSecret, { clientId, secretId: secret.secretId }, org);
  }
}

async function asApp(gateway: string, clientId: string, clientSecret: string): Promise<string[]> {
  const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const { access_token: token } = await call('get a token', tokenSchema, `${gateway}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials.toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }),
  });
  const api = `${gateway}/o/${org}/api/credentials`;
  const headers = { authorization: `Bearer ${token}` };
  const { offerId } = await call('create an offer', offerSchema, `${api}/offers`, { method: 'POST', headers });
  await call('list customers', listSchema, `${api}/subjects?limit=1`, { headers });
  await call('withdraw the offer', z.unknown(), `${api}/offers/${offerId}`, { method: 'DELETE', headers });
  return ['get a token', 'create an offer', 'list customers', 'withdraw the offer'];
}

async function smokeApp({ request }: OperatorSession): Promise<App> {
  const organizations = (await request(listOrganizations, {})).items;
  if (!organizations.some(({ shortId }) => shortId === org)) {
    await request(createOrganization, { shortId: org, name: 'Smoke test of the operator' }, org);
    await request(setPresencePolicy, { policy: 'optional' }, org);
  }
  const found = (await request(listApps, { org }, org)).items.find(({ name }) => name === 'smoke');
  const wanted = { org, name: 'smoke', kind: 'service' as const, audience: 'customers' as const, scopes };
  return found ?? (await request(createApp, { ...wanted, redirectUris: [], postLogoutRedirectUris: [] }, org)).app;
}

async function call<T>(step: string, schema: z.ZodType<T>, url: string, request: RequestInit): Promise<T> {
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new CommandError(`Could not ${step}: ${url} does not respond (${String((error as Error).cause ?? error)}).`);
  });
  const text = await response.text();
  // A problem document says what happened. It has no secret.
  if (!response.ok) throw new CommandError(`Could not ${step}: ${response.status} ${text.slice(0, 500)}`);
  return schema.parse(text === '' ? undefined : JSON.parse(text));
}
