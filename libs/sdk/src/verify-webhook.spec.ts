import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { VerificationError } from './errors.js';
import { verifyWebhook } from './verify-webhook.js';

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret of the endpoint..').toString('base64')}`;
const now = new Date('2026-11-21T09:41:12.345Z');
const body = JSON.stringify({ id: 'e1', type: 'credential.revoked', data: { subject: 'ü' } });
const timestamp = String(Math.floor(now.getTime() / 1000));

/** Signed by the reference implementation. */
const headersOf = (more: Record<string, string> = {}) => ({
  'webhook-id': 'e1',
  'webhook-timestamp': timestamp,
  'webhook-signature': new Webhook(secret).sign('e1', now, body),
  ...more,
});

describe('a webhook', () => {
  it('is accepted with the secret of its endpoint, as text and as bytes, during a rotation with either', async () => {
    for (const given of [body, new TextEncoder().encode(body)])
      for (const secrets of [secret, [other, secret]])
        expect(await verifyWebhook(given, headersOf(), { secret: secrets, now })).toMatchObject({ id: 'e1' });
    const several = `v1,AAAA v2,BBBB ${new Webhook(secret).sign('e1', now, body)}`;
    const headers = new Headers(headersOf({ 'webhook-signature': several }));
    expect(await verifyWebhook(body, headers, { secret, now })).toMatchObject({ type: 'credential.revoked' });
  });

  it('is accepted with a key of the organization, and with that key alone', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const signature = sign(null, Buffer.from(`e1.${timestamp}.${body}`), privateKey).toString('base64');
    const headers = headersOf({ 'webhook-signature': `v1a,${signature}` });
    const jwk = publicKey.export({ format: 'jwk' });
    const foreign = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    expect(await verifyWebhook(body, headers, { jwks: { keys: [foreign, jwk] }, now })).toMatchObject({ id: 'e1' });
    for (const keys of [[], [foreign]])
      await expect(verifyWebhook(body, headers, { secret, jwks: { keys }, now })).rejects.toThrow(VerificationError);
  });

  it.each([
    ['another secret', {}, body, other, now],
    ['a changed body', {}, body.replace('revoked', 'issued'), secret, now],
    ['another id', { 'webhook-id': 'e2' }, body, secret, now],
    ['another time', { 'webhook-timestamp': String(Number(timestamp) + 1) }, body, secret, now],
    ['a time that is no number', { 'webhook-timestamp': 'now' }, body, secret, now],
    ['a signature that is no Base64', { 'webhook-signature': 'v1,*' }, body, secret, now],
    ['no signature', { 'webhook-signature': '' }, body, secret, now],
    ['an age of more than five minutes', {}, body, secret, new Date(now.getTime() + 301_000)],
    ['a time that is more than five minutes ahead', {}, body, secret, new Date(now.getTime() - 301_000)],
  ] as const)('is refused with %s', async (_, more, given, key, at) => {
    await expect(verifyWebhook(given, headersOf(more), { secret: key, now: at })).rejects.toThrow(VerificationError);
  });

  it('is refused without one of its headers, or with two', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      for (const value of [undefined, ['a', 'b']])
        await expect(verifyWebhook(body, { ...headersOf(), [name]: value }, { secret, now })).rejects.toThrow(name);
  });
});
