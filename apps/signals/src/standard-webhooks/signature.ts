import { createHmac, sign, type KeyObject } from 'node:crypto';
import type { SigningSecrets } from './signing-secrets.js';

interface Signed {
  /** The same in every attempt of a message. */
  messageId: string;
  body: string;
  /** Of the attempt. */
  now: Date;
}

/** What signs: secrets by HMAC-SHA256 (`v1`), private keys by Ed25519 (`v1a`). */
interface Signers {
  secrets?: SigningSecrets;
  keys?: readonly KeyObject[];
}

/** Headers of one attempt (Standard Webhooks 1.0): the signature is that of exactly this body. */
export function signatureHeaders(
  { messageId, body, now }: Signed,
  { secrets, keys = [] }: Signers,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = `${messageId}.${timestamp}.${body}`;
  const hmacs = secrets ? validSecrets(secrets, now).map((secret) => `v1,${hmac(secret, signed)}`) : [];
  const signatures = keys.map((key) => `v1a,${sign(null, Buffer.from(signed), key).toString('base64')}`);
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': [...hmacs, ...signatures].join(' '),
  };
}

function validSecrets({ secret, previous }: SigningSecrets, now: Date): string[] {
  return previous && new Date(previous.until) > now ? [secret, previous.secret] : [secret];
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
