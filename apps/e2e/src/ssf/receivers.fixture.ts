import { expect } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import type { SsfStream } from '@holdfast/contracts';
import { callApi, Client } from '../clients/client.ts';
import { stack } from '../clients/under-test.ts';

/** The discovery document of a transmitter. */
export interface Transmitter {
  issuer: string;
  jwks_uri: string;
  configuration_endpoint: string;
  [member: string]: unknown;
}

/** Claims of a token. */
export interface TokenClaims extends JWTPayload {
  txn: string;
  sub_id: { format: string; iss?: string; sub?: string; id?: string };
  events: Record<string, Record<string, unknown>>;
}

interface PollResult {
  sets: Record<string, string>;
  moreAvailable: boolean;
}

export async function discover(org: string): Promise<Transmitter> {
  const { status, body } = await callApi<Transmitter>(stack, 'GET', `/.well-known/ssf-configuration/o/${org}`);
  expect(status).toBe(200);
  return body;
}

/** A receiver that an administrator has created, as it acts by itself. */
export async function newReceiver(admin: Client, given: { name: string; audience?: string }): Promise<SsfReceiver> {
  const { status, body } = await admin.call<{ clientId: string; name: string; secret: { clientSecret: string } }>(
    'POST',
    `${admin.api}/admin/ssf/receivers`,
    { json: given },
  );
  expect(status).toBe(201);
  const { clientId, name, secret } = body;
  const app = { ...admin.app, clientId, name, clientSecret: secret.clientSecret };
  return new SsfReceiver(new Client(stack, app, ['ssf.manage', 'ssf.read']));
}

export class SsfReceiver {
  readonly client: Client;
  readonly base: string;

  constructor(client: Client) {
    this.client = client;
    this.base = `/o/${client.app.org}/ssf`;
  }

  async create(json: object = {}): Promise<SsfStream> {
    const { status, body } = await this.client.call<SsfStream>('POST', `${this.base}/streams`, { json });
    expect(status).toBe(201);
    return body;
  }

  async poll(id: string, json: object = { returnImmediately: true }): Promise<PollResult> {
    const options = { json, timeoutMs: 30_000 };
    const { status, body } = await this.client.call<PollResult>('POST', `${this.base}/streams/${id}/poll`, options);
    expect(status).toBe(200);
    return body;
  }

  /** Verifies a token as a receiver that knows the transmitter only by its metadata. */
  async verify(token: string): Promise<TokenClaims> {
    const { issuer, jwks_uri: jwks } = await discover(this.client.app.org);
    const keys = createRemoteJWKSet(new URL(jwks));
    const { payload, protectedHeader } = await jwtVerify<TokenClaims>(token, keys, {
      ...{ issuer, audience: this.client.app.clientId, typ: 'secevent+jwt', algorithms: ['RS256'] },
    });
    expect(payload).not.toHaveProperty('sub');
    expect(payload).not.toHaveProperty('exp');
    expect(Object.keys(payload.events)).toHaveLength(1);
    expect(protectedHeader.kid).toEqual(expect.any(String));
    return payload;
  }

  async verified(sets: Record<string, string>): Promise<TokenClaims[]> {
    const all = await Promise.all(Object.values(sets).map((token) => this.verify(token)));
    expect(all.map(({ jti }) => jti)).toEqual(Object.keys(sets));
    return all;
  }
}

/** Name of the event of a token, such as `credential-change`. */
export function nameOf({ events }: TokenClaims): string {
  return Object.keys(events)[0]!.split('/').at(-1)!;
}
