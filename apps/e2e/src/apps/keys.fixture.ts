import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import type { TokenResponse } from '../clients/client.ts';
import { closeConnections, exchange, type Reply } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';

export interface Key {
  alg: string;
  kid: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
  privateJwk: JWK;
}

export async function newKey(alg = 'EdDSA'): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  const [publicJwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  return { alg, kid, privateKey, publicJwk: { ...publicJwk, kid }, privateJwk: { ...privateJwk, kid } };
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);
export const tokenAddress = () => `${stack.baseUrl}/oauth2/token`;

let folder: string;

/** A folder for files of keys, while the tests of a file run. */
export function withKeyFiles(): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'app-keys-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    closeConnections();
  });
}

export function fileOf(content: unknown): string {
  const file = join(folder, `${randomUUID()}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

export const jwksFile = (...keys: JWK[]) => fileOf({ keys });

/** Options of `app create` for an app that authenticates with a private key. */
export const byKey = (...more: string[]) => ['--auth-method', 'private_key_jwt', ...more];

/** Creates a service app that may read customers. */
export function createService(org: string, name: string, ...more: string[]) {
  return stack.operator<{ app: App; clientSecret?: string }>(
    ...['app', 'create', org, '--name', name, '--kind', 'service', '--grant', 'issued:read', ...more],
  );
}

/** A client assertion (RFC 7523), valid but for the given changes. */
export function assertionOf(
  { clientId }: Pick<App, 'clientId'>,
  { alg, kid, privateKey }: Key,
  claims: object = {},
  header: object = {},
): Promise<string> {
  const valid = { iss: clientId, sub: clientId, aud: stack.baseUrl, jti: randomUUID(), exp: nowSeconds() + 60 };
  return new SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
}

/** A DPoP proof (RFC 9449), valid but for the given changes. */
export function proofOf(
  { alg, privateKey, publicJwk: { kid: _, ...jwk } }: Key,
  htm: string,
  htu: string,
  claims: object = {},
): Promise<string> {
  return new SignJWT({ htm, htu, jti: randomUUID(), iat: nowSeconds(), ...claims })
    .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
    .sign(privateKey);
}

/** The claim of a proof that names the access token. */
export const ofToken = (token: string) => ({ ath: createHash('sha256').update(token).digest('base64url') });

export const withAssertion = (assertion: string) => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: assertion,
});

export type TokenReply = Reply<TokenResponse & { error_description?: string }>;

/** Requests a token of the platform with a client assertion. */
export function requestTokenWith(assertion: string, dpop?: string, gateway = 0): Promise<TokenReply> {
  return exchange<TokenResponse>({
    origin: stack.gateways[gateway % stack.gateways.length]!,
    method: 'POST',
    path: '/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(dpop !== undefined && { dpop }) },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'issued:read',
      ...withAssertion(assertion),
    }).toString(),
  });
}
