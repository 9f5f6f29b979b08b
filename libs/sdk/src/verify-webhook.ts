import type { JWK } from 'jose';
import type { Schemas } from '@holdfast/api-client';
import { VerificationError } from './errors.js';

type Event = Schemas['Event'];

/** A message of a webhook: a CloudEvent (docs/webhooks.md) with the event's type and data. */
export type WebhookEvent = Event extends infer One
  ? One extends { type: infer Type; data: infer Data }
    ? {
        specversion: '1.0';
        /** The same when the message comes again: keep it for a week, and skip what you have. */
        id: string;
        source: string;
        type: Type;
        subject?: string;
        time: string;
        /** Orders all events of the organization. */
        sequence: string;
        /** Orders the events of one customer, app or person. */
        version: number;
        data: Data;
      }
    : never
  : never;

export interface WebhookKeys {
  /** Of the endpoint, `whsec_…`. During a rotation both. */
  secret?: string | readonly string[];
  /** Of the organization, from `/o/{shortId}/webhooks/jwks`, for an endpoint that signs with `v1a`. */
  jwks?: { keys: readonly JWK[] };
  /** Default: the current time. */
  now?: Date;
}

/** The timestamp is that of the attempt, not of the event (Standard Webhooks 1.0). */
const toleranceSeconds = 300;

/**
 * Verifies a message and returns its event.
 *
 * @param body the bytes that arrived, or their text: not JSON that was parsed and written again
 * @throws VerificationError when it is not from Holdfast, was changed, or is older than five minutes: respond 401
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  { secret = [], jwks, now = new Date() }: WebhookKeys,
): Promise<WebhookEvent> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string') throw new VerificationError(`The header ${name} is missing, or there are several.`);
    return value;
  };
  const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
  const ageSeconds = now.getTime() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds)
    throw new VerificationError('webhook-timestamp is more than five minutes from now.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concatenated(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',');
    const valid =
      version === 'v1'
        ? await isSignedBySecret(secrets, value, signed)
        : version === 'v1a' && (await isSignedByKey(jwks?.keys ?? [], value, signed));
    if (valid) return parse(bytes, id);
  }
  throw new VerificationError('No signature of webhook-signature is one of the given secrets or keys.');
}

async function isSignedBySecret(secrets: readonly string[], value: string, signed: BufferSource): Promise<boolean> {
  const signature = bytesOf(value);
  for (const secret of secrets) {
    const raw = bytesOf(secret.replace(/^whsec_/, ''));
    if (!raw || !signature) continue;
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
  }
  return false;
}

async function isSignedByKey(keys: readonly JWK[], value: string, signed: BufferSource): Promise<boolean> {
  const signature = bytesOf(value);
  for (const { kty, crv, x } of keys) {
    if (kty !== 'OKP' || crv !== 'Ed25519' || !signature) continue;
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x: x! }, 'Ed25519', false, ['verify']);
    if (await crypto.subtle.verify('Ed25519', key, signature, signed)) return true;
  }
  return false;
}

/** @returns undefined for text that is no Base64 */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

function parse(bytes: Uint8Array, id: string): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new VerificationError('The body is no JSON.');
  }
  if (typeof event !== 'object' || event === null || (event as { id?: unknown }).id !== id)
    throw new VerificationError('The body is no event with the id of webhook-id.');
  return event as WebhookEvent;
}
