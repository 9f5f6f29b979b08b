import { z } from 'zod';
import { apiClient } from '@holdfast/api-client';
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
  const { access_token: token } = await step('get a token', gateway, async () => {
    const response = await fetch(`${gateway}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials.toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return response.ok ? { response, data: tokenSchema.parse(JSON.parse(text)) } : { response, error: text };
  });
  const api = apiClient({
    baseUrl: gateway,
    token: () => token,
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  });
  const path = { shortId: org };
  const { offerId } = await step('create an offer', gateway, () =>
    api.POST('/o/{shortId}/api/credentials/offers', { params: { path } }),
  );
  await step('list customers', gateway, () =>
    api.GET('/o/{shortId}/api/credentials/subjects', { params: { path, query: { limit: 1 } } }),
  );
  await step('withdraw the offer', gateway, () =>
    api.DELETE('/o/{shortId}/api/credentials/offers/{offerId}', { params: { path: { ...path, offerId } } }),
  );
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

interface StepResult<T> {
  response: Response;
  data?: T;
  error?: unknown;
}

async function step<T>(name: string, gateway: string, send: () => Promise<StepResult<T>>): Promise<T> {
  const { response, data, error } = await send().catch((failure: unknown) => {
    const cause = String((failure as Error).cause ?? failure);
    throw new CommandError(`Could not ${name}: ${gateway} does not respond (${cause}).`);
  });
  // A problem document says what happened. It has no secret.
  const text = typeof error === 'string' ? error : JSON.stringify(error ?? '');
  if (!response.ok) throw new CommandError(`Could not ${name}: ${response.status} ${text.slice(0, 500)}`);
  return data as T;
}
