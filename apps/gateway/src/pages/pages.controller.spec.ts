import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { assetOf, PAGES, type BuiltPages } from './built-pages.js';
import { PagesController } from './pages.controller.js';

const script = {
  type: 'text/javascript; charset=utf-8',
  content: Buffer.from('export {};'),
  etag: '"s"',
  brotli: brotliCompressSync('export {};'),
};
const icon = { type: 'image/svg+xml', content: Buffer.from('<svg/>'), etag: '"i"' };
const favicon = { type: 'image/vnd.microsoft.icon', content: Buffer.from([0, 0, 1, 0]), etag: '"f"' };
const pages: BuiltPages = {
  documents: {
    account: 'the account page',
    claim: '<!doctype html>claim',
    hub: '<!doctype html>hub',
    invitation: '<!doctype html>invitation',
    passkey: '<!doctype html>passkey',
    'sign-in': '<!doctype html>sign-in',
    verify: '<!doctype html>verify',
  },
  assets: new Map([
    ['claim-AAAAAAAA.js', script],
    ['icon-AAAAAAAA.svg', icon],
    ['favicon-AAAAAAAA.ico', favicon],
  ]),
};

describe('PagesController', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    const made = await Test.createTestingModule({
      controllers: [PagesController],
      providers: [{ provide: PAGES, useValue: pages }],
    }).compile();
    app = made.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await app.init();
  });
  afterAll(() => app.close());

  const get = (url: string) => app.inject({ method: 'GET', url });

  test.each([
    ['/o/acme/claim', 'claim'],
    ['/o/nobody-here/claim', 'claim'],
    ['/o/acme/invitation', 'invitation'],
    ['/o/nobody-here/invitation', 'invitation'],
    ['/o/acme/sign-in/abc', 'sign-in'],
    ['/o/nobody-here/sign-in/xyz', 'sign-in'],
  ])('answers %s with the same uncacheable document for every organization', async (url, page) => {
    const { statusCode, headers, payload } = await get(url);
    expect([statusCode, payload]).toEqual([200, `<!doctype html>${page}`]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
  });

  test.each([
    '/hub/acme',
    '/hub/nobody-here?sign_in=denied',
    '/hub/acme/audit-log?actor=x',
    '/hub/acme/apps/app_Ab3dE6gH9jK2mN5pQ8sT1v',
  ])('answers %s with the hub, whose scripts may make no markup of texts', async (url) => {
    const { statusCode, headers, payload } = await get(url);
    expect([statusCode, payload, headers['cache-control']]).toEqual([200, '<!doctype html>hub', 'no-store']);
    expect(headers['content-security-policy']).toMatch(
      /script-src 'self'; style-src 'self'; .*; require-trusted-types-for 'script'; trusted-types 'none'$/,
    );
  });

  test('the page that verifies files may connect to nothing, and neither may a script as a worker', async () => {
    const { headers, payload } = await get('/verify');
    expect([payload, headers['cache-control']]).toEqual(['<!doctype html>verify', 'no-store']);
    expect(headers['content-security-policy']).toContain("; connect-src 'none'; ");
    const { headers: ofScript } = await get('/pages/claim-AAAAAAAA.js');
    expect(ofScript['content-security-policy']).toBe("default-src 'none'");
  });

  test('an asset with a hash in its name is cached without limit', async () => {
    const { statusCode, headers, payload } = await get('/pages/claim-AAAAAAAA.js');
    expect([statusCode, payload]).toEqual([200, 'export {};']);
    expect(headers).toMatchObject({
      'content-type': script.type,
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  test('an asset is compressed for a browser that accepts it, under a tag of its own', async () => {
    const url = '/pages/claim-AAAAAAAA.js';
    for (const accepted of ['br', 'gzip, deflate, br, zstd', 'gzip;q=0.5, br;q=0.8']) {
      const { headers, rawPayload } = await app.inject({
        method: 'GET',
        url,
        headers: { 'accept-encoding': accepted },
      });
      expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding', etag: '"s-br"' });
      expect(brotliDecompressSync(rawPayload).toString()).toBe('export {};');
    }
    for (const accepted of ['', 'gzip', 'br;q=0', 'brotli', 'x-br']) {
      const { headers, payload } = await app.inject({ method: 'GET', url, headers: { 'accept-encoding': accepted } });
      expect([headers['content-encoding'], headers.vary, headers.etag, payload]).toEqual([
        undefined,
        'accept-encoding',
        '"s"',
        'export {};',
      ]);
    }
  });

  test('an asset with a stable name is cached for five minutes and revalidated by its tag', async () => {
    for (const [url, asset] of [
      ['/pages/icon.svg', icon],
      ['/favicon.ico', favicon],
    ] as const) {
      const { statusCode, headers, rawPayload } = await get(url);
      expect([statusCode, headers['content-type'], rawPayload]).toEqual([200, asset.type, asset.content]);
      expect(headers).toMatchObject({ 'cache-control': 'public, max-age=300', etag: asset.etag });
      for (const tag of [asset.etag, `W/${asset.etag}`, `"x", ${asset.etag}`]) {
        const again = await app.inject({ method: 'GET', url, headers: { 'if-none-match': tag } });
        expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', asset.etag]);
      }
      expect((await app.inject({ method: 'GET', url, headers: { 'if-none-match': '"x"' } })).statusCode).toBe(200);
    }
  });

  test("another version's name gets the current file, uncacheable", async () => {
    const { statusCode, headers, payload } = await get('/pages/claim-BBBBBBBB.js');
    expect([statusCode, payload, headers['cache-control']]).toEqual([200, 'export {};', 'no-store']);
  });

  test.each([
    'claim.js',
    'claim-AAAAAAAA.css',
    'sign-in-AAAAAAAA.js',
    '..%2fclaim.html',
    '..%2f..%2fpackage.json',
    '__proto__',
    'constructor',
  ])('answers an error to the unknown file %s', async (file) => {
    expect((await get(`/pages/${file}`)).statusCode).not.toBe(200);
    expect(assetOf(pages.assets, decodeURIComponent(file))).toBeUndefined();
  });
});
