import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { CONFIG } from '@holdfast/service';
import { declaredEndpoints } from '../declared-endpoints.js';
import { ENDPOINTS } from '../endpoints/route.js';
import { DocsController } from './docs.controller.js';

let app: NestFastifyApplication;
beforeAll(async () => {
  const made = await Test.createTestingModule({
    controllers: [DocsController],
    providers: [
      { provide: CONFIG, useValue: { BASE_URL: 'https://id.example' } },
      { provide: ENDPOINTS, useValue: declaredEndpoints() },
    ],
  }).compile();
  app = made.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

it.each(['/openapi.json', '/docs', '/docs/errors'])(
  '%s is compressed as the caller accepts, under a tag of its own',
  async (url) => {
    const plain = await get(url);
    const brotli = await get(url, { 'accept-encoding': 'gzip, deflate, br' });
    const zipped = await get(url, { 'accept-encoding': 'gzip' });
    expect([plain, brotli, zipped].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'br',
      'gzip',
    ]);
    expect(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(new Set([plain, brotli, zipped].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers } of [plain, brotli, zipped])
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        etag: expect.stringMatching(/^"[^"]+"$/),
      });
  },
);

it('is 304 for a caller that has the description already, in the form that it accepts', async () => {
  const accepted = { 'accept-encoding': 'br' };
  const { headers, rawPayload } = await get('/openapi.json', accepted);
  expect(rawPayload.length).toBeLessThan(100_000);
  const again = await get('/openapi.json', { ...accepted, 'if-none-match': headers.etag as string });
  expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', headers.etag]);
  expect((await get('/openapi.json', { 'if-none-match': headers.etag as string })).statusCode).toBe(200);
});

it('names the files of the page by their hashes, so that they are cached without limit', async () => {
  const { payload } = await get('/docs');
  const files = [...payload.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, file]) => file!);
  expect(files.map((file) => file.replace(/-[0-9a-f]{8}\./, '.'))).toEqual([
    '/docs/assets/swagger-ui.css',
    '/docs/assets/page.css',
    '/docs/assets/reference.css',
    '/docs/assets/swagger-ui-bundle.js',
    '/docs/assets/reference.js',
  ]);
  for (const file of files) {
    const { statusCode, headers } = await get(file, { 'accept-encoding': 'br' });
    expect([file, statusCode, headers['content-encoding'], headers['cache-control']]).toEqual([
      file,
      200,
      'br',
      'public, max-age=31536000, immutable',
    ]);
  }
});

it("gets another version's page the current file, uncacheable, and no other file", async () => {
  const { statusCode, headers } = await get('/docs/assets/reference-00000000.js');
  expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store']);
  for (const name of ['reference.js', 'other-00000000.js', 'constructor', '..%2fpackage.json'])
    expect((await get(`/docs/assets/${name}`)).statusCode).not.toBe(200);
});
