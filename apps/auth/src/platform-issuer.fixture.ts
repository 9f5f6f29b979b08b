import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { AuthStack, basicAuthorization } from './auth-stack.fixture.js';
import { stubs } from './service-stubs.fixture.js';

export let stack: AuthStack;

/** Starts the stack before all tests of a file, and clears the records of audit before each. */
export function usePlatformIssuer(): void {
  beforeAll(async () => {
    stack = await AuthStack.start();
  });
  afterAll(() => stack.stop());
  beforeEach(() => {
    stubs.records = [];
    stubs.auditUnavailable = false;
  });
}

export interface TokenResponse {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
}

/** Sends a request to the token endpoint, or to `path`. */
export async function post(
  body: string | Record<string, string>,
  { clientId, secret = '' }: { clientId?: string; secret?: string } = {},
  headers: Record<string, string> = {},
  path = '/oauth2/token',
): Promise<TokenResponse> {
  const response = await fetch(stack.base + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(clientId && { authorization: basicAuthorization({ clientId, secret }) }),
      ...headers,
    },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

/** Parameters of a token request for a scope. */
export const scopeRequest = (scope: string) => ({ grant_type: 'client_credentials', scope });
