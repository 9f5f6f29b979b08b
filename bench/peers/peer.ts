import type { HttpRequest } from '../workers/job.ts';

/** Another authorization server on this machine, which issues the same kind of token to a client of its own. */
export interface Peer {
  name: string;
  version: string;
  url: string;
  /** Client credentials of two scopes with a secret, for a JWT that is signed by Ed25519. */
  tokenRequest: HttpRequest;
  pid: number;
  end: () => Promise<void>;
}

export const scopes = 'issued:read offers:write';

export function basicAuthorization(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

export function clientCredentials(path: string, authorization: string, more: Record<string, string> = {}): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes, ...more }).toString(),
  };
}

/** @throws Error unless the peer answers with a JWT */
export async function expectToken(peer: Peer): Promise<void> {
  const { path, headers = {}, body = '' } = peer.tokenRequest;
  const response = await fetch(peer.url + path, { method: 'POST', headers, body });
  const text = await response.text();
  const token = response.ok ? (JSON.parse(text) as { access_token?: string }).access_token : undefined;
  if (token?.split('.').length !== 3) throw new Error(`${peer.name} issued no JWT: ${response.status} ${text}`);
}
