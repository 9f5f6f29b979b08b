import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Header, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { endpoint, ENDPOINTS, Route, type Endpoint } from '../endpoints/endpoint.js';
import { openApi } from './openapi.js';
import { docsPage, errorsPage, initializer, pageStyle } from './pages.js';

const tag = 'Reference';
const unrecorded = 'the same for everybody';
const html = 'text/html; charset=utf-8';
/** Own origin only, no inline script. Swagger UI sets inline styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const openApiEndpoint = endpoint({
  id: 'getOpenApi',
  method: 'GET',
  public: 'the same for everybody',
  limit: 'page',
  path: '/openapi.json',
  tag,
  unrecorded,
  summary: 'This description, as OpenAPI 3.1',
  responses: { 200: { description: 'The description' } },
});
export const docsEndpoint = endpoint({
  id: 'getDocs',
  method: 'GET',
  public: 'the same for everybody',
  limit: 'page',
  path: '/docs',
  tag,
  unrecorded,
  internal: 'a page',
  summary: 'The API reference as a page',
  responses: { 200: { description: 'The page' } },
});
export const errorsEndpoint = endpoint({
  id: 'getErrorDocs',
  method: 'GET',
  public: 'the same for everybody',
  limit: 'page',
  path: '/docs/errors',
  tag,
  unrecorded,
  internal: 'a page',
  summary: 'Every error code and what to do about it',
  responses: { 200: { description: 'The page' } },
});
export const assetEndpoint = endpoint({
  id: 'getDocsAsset',
  method: 'GET',
  public: 'the same for everybody',
  limit: 'page',
  path: '/docs/assets/{file}',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'What the reference page loads',
  params: z.object({ file: z.string().describe('Name of the file') }),
  responses: { 200: { description: 'The file' } },
});

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** The only files there are: a name from the address never becomes a path. */
const assets: Record<string, { type: string; read: () => Promise<string | Buffer> }> = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: () => readFile(join(swagger, 'swagger-ui.css')) },
  'swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    read: () => readFile(join(swagger, 'swagger-ui-bundle.js')),
  },
  'reference.js': { type: 'text/javascript; charset=utf-8', read: () => Promise.resolve(initializer) },
  'page.css': { type: 'text/css; charset=utf-8', read: () => Promise.resolve(pageStyle) },
};

@Controller()
export class DocsController {
  private readonly description: object;

  constructor(@Inject(CONFIG) config: GatewayConfig, @Inject(ENDPOINTS) endpoints: readonly Endpoint[]) {
    this.description = openApi(endpoints, config.BASE_URL);
  }

  @Route(openApiEndpoint)
  openApi(): object {
    return this.description;
  }

  @Route(docsEndpoint)
  @Header('content-type', html)
  @Header('content-security-policy', policy)
  docs(): string {
    return docsPage;
  }

  @Route(errorsEndpoint)
  @Header('content-type', html)
  @Header('content-security-policy', policy)
  errors(): string {
    return errorsPage();
  }

  @Route(assetEndpoint)
  async asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { file } = request.params as { file: string };
    const asset = Object.hasOwn(assets, file) ? assets[file] : undefined;
    if (!asset) throw new AppError('not_found');
    const content = await asset.read();
    void reply.header('cache-control', 'public, max-age=3600').type(asset.type).send(content);
  }
}
