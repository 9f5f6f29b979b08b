// Receivers that nobody here wrote verify what arrives: retries, rotations and both kinds of signatures.
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { listWebhookKeys, rotateWebhookKey, rotateWebhookSecret, type WebhookPublicKey } from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { status, type ReceivedRequest } from '../audit-destinations/receiver.fixture.js';
import { overlapMs } from '../standard-webhooks/signing-secrets.js';
import { offered, WebhooksStack } from './webhooks-stack.fixture.js';

const acme = () => testContext({ org: 'acme' });

/** The libraries refuse what is older than five minutes by their clock, so the service's clock begins now. */
let stack: WebhooksStack;
beforeAll(async () => {
  stack = await WebhooksStack.start();
});
afterAll(() => stack.stop());
let path: string;
beforeEach(() => {
  path = `/${randomUUID()}`;
  stack.clock.advance(Date.now() - stack.clock.now().getTime());
});

const libraries = [
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
] as const;
const headersOf = ({ headers }: ReceivedRequest) => headers as Record<string, string>;

describe.each(libraries)('%s', (_, Webhook) => {
  const accepts = (secret: string, request: ReceivedRequest) => {
    try {
      new Webhook(secret).verify(request.body, headersOf(request));
      return true;
    } catch {
      return false;
    }
  };

  it('verifies each attempt of a message, and nothing that was changed', async () => {
    const { secret } = await stack.create(path);
    stack.receiver.answer(path, status(500), status(200));
    const event = offered();
    await stack.publish(event);
    await stack.afterAttempts(event.id, 1);
    stack.clock.advance(10_000);
    const requests = await stack.received(path, 2);
    expect(requests.map((request) => accepts(secret, request))).toEqual([true, true]);
    const [first, second] = requests.map(({ headers }) => headers['webhook-timestamp']);
    expect(Number(second)).toBeGreaterThan(Number(first));
    expect(accepts(secret, { ...requests[0]!, body: `${requests[0]!.body} ` })).toBe(false);
    expect(accepts('whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=', requests[0]!)).toBe(false);
  });

  it('verifies with the earlier secret for a day after a rotation, and with the new one at once', async () => {
    const { id, secret: earlier } = await stack.create(path);
    const { secret } = await stack.bus.request(rotateWebhookSecret, { id }, acme());
    await stack.publish(offered());
    const [during] = await stack.received(path);
    expect([accepts(earlier, during!), accepts(secret, during!)]).toEqual([true, true]);
    stack.clock.advance(overlapMs + 1000);
    await stack.publish(offered());
    const signatures = (await stack.received(path, 2))[1]!.headers['webhook-signature'] as string;
    expect(signatures.split(' ')).toHaveLength(1);
  });
});

describe('an endpoint with v1a', () => {
  const isSignedBy = ({ kty, crv, x }: WebhookPublicKey, request: ReceivedRequest) => {
    const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headersOf(request);
    const signed = Buffer.from(`${id}.${timestamp}.${request.body}`);
    return signatures!
      .split(' ')
      .filter((signature) => signature.startsWith('v1a,'))
      .some((signature) => verify(null, signed, key, Buffer.from(signature.slice(4), 'base64')));
  };
  const keys = async () => (await stack.bus.request(listWebhookKeys, {}, acme())).keys;

  it('gets messages that the public keys of its organization verify, the earlier one for a day', async () => {
    await stack.create(path, { signatures: ['v1', 'v1a'] });
    await stack.publish(offered());
    const [request] = await stack.received(path);
    const [key] = await keys();
    expect(isSignedBy(key!, request!)).toBe(true);
    expect(isSignedBy(key!, { ...request!, body: `${request!.body} ` })).toBe(false);
    const rotated = await stack.bus.request(rotateWebhookKey, {}, acme());
    expect(rotated.keys.map(({ kid }) => kid)).toEqual([expect.not.stringMatching(key!.kid), key!.kid]);
    expect(await keys()).toEqual(rotated.keys);
    stack.clock.advance(overlapMs + 1000);
    expect(await keys()).toEqual([rotated.keys[0]]);
  });

  it('is of an organization whose keys sign for no other one', async () => {
    await stack.create(path, { signatures: ['v1a'] }, testContext({ org: 'other' }));
    const [ofOther] = (await stack.bus.request(listWebhookKeys, {}, testContext({ org: 'other' }))).keys;
    expect((await keys()).map(({ kid }) => kid)).not.toContain(ofOther!.kid);
    await stack.publish(offered({ org: 'other' }));
    const [request] = await stack.received(path);
    expect(isSignedBy(ofOther!, request!)).toBe(true);
    expect(request!.headers['webhook-signature']).not.toMatch(/v1,/);
  });
});

describe('secrets, headers and private keys', () => {
  it('stand nowhere in the database', async () => {
    const { secret } = await stack.create(path, {
      headers: { authorization: 'Bearer top-secret' },
      signatures: ['v1a'],
    });
    const tables = ['webhook_endpoint', 'webhook_key', 'record_outbox', 'idempotency'];
    for (const table of tables) {
      const rows = await stack.signals.tables.query(`SELECT t::text FROM signals.${table} t`);
      const text = JSON.stringify(rows);
      for (const hidden of [secret.slice(6), 'top-secret', 'PRIVATE KEY']) {
        expect(text).not.toContain(hidden);
        expect(text).not.toContain(Buffer.from(hidden).toString('hex'));
      }
    }
  });
});
