// Specification §4.1: offers, and requests that are rejected without an effect.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { claim, tokenOf } from '../sign-in/customer.fixture.ts';
import { badOffers } from './bad-offers.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const hour = 3600;
const returnUrl = 'https://shop.example/welcome?from=holdfast';

let shop: Client;
let kiosk: Client;
beforeAll(async () => {
  ({ shop, kiosk } = await newClients({
    shop: { redirectUris: [returnUrl, 'https://shop.example/other'] },
    kiosk: {},
  }));
});
afterAll(closeConnections);

/** Seconds until the offer expires. */
function secondsLeft({ expiresAt }: Offer): number {
  return (Date.parse(expiresAt) - Date.now()) / 1000;
}

describe('an offer', () => {
  it.each<[string, Parameters<Client['offer']>[1]]>([
    ['{}', { json: {} }],
    ['no body', { body: '' }],
    ['no body and a content type', { body: '', headers: { 'content-type': 'application/json' } }],
    ['no body and no length', { body: '', chunked: true }],
    [
      'an empty object with whitespace and another spelling of the content type',
      { body: ' {\r\n} ', headers: { 'content-type': 'Application/JSON; charset=UTF-8' } },
    ],
  ])('is created with %s', async (_, options) => {
    const { status, body, headers } = await shop.offer(undefined, options);
    expect(status).toBe(201);
    expect(body).toEqual({
      subject: expect.stringMatching(uuid),
      claimUrl: expect.stringMatching(new RegExp(`^${stack.baseUrl}/o/${shop.app.org}/claim#[A-Za-z0-9_-]{43}$`)),
      offerId: expect.stringMatching(uuid),
      credentialId: expect.stringMatching(uuid),
      credentialType: 'customer',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(headers.location).toBe(`/o/${shop.app.org}/api/credentials/subjects/${body.subject}`);
    expect(headers['cache-control']).toBe('no-store');
    expect(secondsLeft(body)).toBeGreaterThan(72 * hour - 60);
    expect(secondsLeft(body)).toBeLessThanOrEqual(72 * hour);
    const located = await shop.call<{ subject: string }>('GET', headers.location!);
    expect(located.body.subject).toBe(body.subject);
  });

  it('applies credentialType, offerExpiresIn, validUntil and returnUrl', async () => {
    const validUntil = new Date(Date.now() + 30 * 24 * hour * 1000).toISOString();
    const { status, body } = await shop.offer({
      credentialType: 'customer',
      offerExpiresIn: 7200,
      validUntil,
      returnUrl,
    });
    expect(status).toBe(201);
    expect(Math.round(secondsLeft(body) / 60)).toBe(120);
    expect((await shop.issued(body.credentialId)).body).toMatchObject({
      credentialType: 'customer',
      expiresAt: validUntil,
    });
    expect(await claim(shop.app.org, tokenOf(body.claimUrl), new SoftwareAuthenticator())).toMatchObject({
      status: 200,
      body: { returnUrl },
    });
  });

  it('never repeats an identifier or a link', async () => {
    const offers = await Promise.all(Array.from({ length: 50 }, () => shop.offer()));
    for (const member of ['subject', 'claimUrl', 'offerId', 'credentialId'] as const)
      expect(new Set(offers.map(({ body }) => body[member])).size).toBe(50);
  });

  it.each([600, 601, 2_591_999, 2_592_000])('may expire after %d seconds', async (offerExpiresIn) => {
    const { status, body } = await shop.offer({ offerExpiresIn });
    expect(status).toBe(201);
    expect(Math.abs(secondsLeft(body) - offerExpiresIn)).toBeLessThan(60);
  });

  it.each([
    '2031-01-01T00:00:00Z',
    '2031-01-01T00:00:00.123456Z',
    '2031-01-01T00:00:00+05:30',
    '9999-12-31T23:59:59.999Z',
  ])('may be for a credential that expires at %s', async (validUntil) => {
    expect((await shop.offer({ validUntil })).status).toBe(201);
  });
});

describe('a bad body', () => {
  it.each(badOffers)(
    'is rejected with a pointer and without an effect: $name',
    async ({ status, code = 'invalid_request', pointer, ...request }) => {
      const before = await newest();
      const { body, status: returned } = await shop.offer<Problem>(undefined, request);
      expect([status].flat()).toContain(returned);
      expect(body.code).toBe(code);
      const pointers = body.errors?.map((e) => e.pointer) ?? [];
      expect(pointers).toEqual(expect.arrayContaining(pointer === undefined ? [] : [pointer]));
      expect(await newest()).toEqual(before);
    },
  );

  it('has a pointer for every invalid member', async () => {
    const { status, body } = await shop.offer<Problem>({ offerExpiresIn: 'x', validUntil: 'y', name: 'z' });
    expect(status).toBe(422);
    expect(body.errors?.map((e) => e.pointer).sort()).toEqual(['#/name', '#/offerExpiresIn', '#/validUntil']);
  });

  it('is not repeated in the response, since it may contain personal data', async () => {
    const { text } = await shop.offer<Problem>({ returnUrl: 'https://canary.example/4711', offerExpiresIn: 'canary' });
    expect(text).not.toContain('canary');
  });

  async function newest(): Promise<string | undefined> {
    return (await shop.list({ limit: '1' })).body.items[0]?.subject;
  }
});

describe('returnUrl', () => {
  it.each([returnUrl, 'https://shop.example/other'])('may be the registered %s', async (url) => {
    expect((await shop.offer({ returnUrl: url })).status).toBe(201);
  });

  it.each([
    'https://shop.example/other/',
    'https://shop.example/other?a=b',
    'https://shop.example/other#a',
    'https://shop.example/Other',
    'https://SHOP.example/other',
    'http://shop.example/other',
    'https://shop.example:443/other',
    'https://user@shop.example/other',
    'https://shop.example@evil.example/other',
    'https://shop.example.evil.example/other',
    'https://shop.example/x/../other',
    'https://shop.example/%6fther',
    'https://shop.example//other',
    'https://shop.example\\@evil.example/other',
    'https://evil.example/other',
    'https://shop.example/othe',
    'javascript:alert(1)',
    'data:text/html,x',
    '/other',
    '//shop.example/other',
    ' https://shop.example/other',
    'https://shop.example/other ',
  ])('may not be %j, which is not registered', async (url) => {
    const { status, body } = await shop.offer<Problem>({ returnUrl: url });
    expect(status).toBe(422);
    expect(body.errors).toEqual([expect.objectContaining({ pointer: '#/returnUrl' })]);
  });

  it('may not be a redirect URI of another app', async () => {
    expect((await kiosk.offer({ returnUrl })).status).toBe(422);
  });
});
