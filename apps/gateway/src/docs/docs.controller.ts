import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Header, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endpoint, type Endpoint } from '@holdfast/contracts/http';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { mediaTypes } from '../edge/media-types.js';
import { ENDPOINTS, Route } from '../endpoints/route.js';
import { scriptPolicy } from '../pages/script-policy.js';
import { openApi } from './openapi.js';
import { docsPage, errorsPage, initializer, pageStyle } from './pages.js';

const tag = 'Reference';
const sameForAll = 'the same for everybody';
/** Swagger UI needs inline styles. */
const policy = scriptPolicy({ inlineStyles: true });

const openApiEndpoint = endpoint({
  id: 'getOpenApi',
  method: 'GET',
  public: sameForAll,
  limit: 'page',
  path: '/openapi.json',
  tag,
  unrecorded: sameForAll,
  summary: 'This description, as OpenAPI 3.1',
  responses: { 200: { description: 'The description', media: ['application/json'] } },
});
const docsEndpoint = endpoint({
  id: 'getDocs',
  method: 'GET',
  public: sameForAll,
  limit: 'page',
  path: '/docs',
  tag,
  unrecorded: sameForAll,
  internal: 'a page',
  summary: 'The API reference as a page',
  responses: { 200: { description: 'The page' } },
});
const errorsEndpoint = endpoint({
  id: 'getErrorDocs',
  method: 'GET',
  public: sameForAll,
  limit: 'page',
  path: '/docs/errors',
  tag,
  unrecorded: sameForAll,
  internal: 'a page',
  summary: 'Every error code and what to do about it',
  responses: { 200: { description: 'The page' } },
});
const assetEndpoint = endpoint({
  id: 'getDocsAsset',
  method: 'GET',
  public: sameForAll,
  limit: 'page',
  path: '/docs/assets/{file}',
  tag,
  unrecorded: sameForAll,
  internal: 'a page, or what it loads',
  summary: 'What the reference page loads',
  params: z.object({ file: z.string().describe('Name of the file') }),
  responses: { 200: { description: 'The file' } },
});

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** Only these files are served: a name from the URL never becomes a path. */
const assets: Record<string, { type: string; read: () => Promise<string | Buffer> }> = {
  'swagger-ui.css': { type: mediaTypes.css, read: () => readFile(join(swagger, 'swagger-ui.css')) },
  'swagger-ui-bundle.js': {
    type: mediaTypes.javascript,
    read: () => readFile(join(swagger, 'swagger-ui-bundle.js')),
  },
  'reference.js': { type: mediaTypes.javascript, read: () => Promise.resolve(initializer) },
  'page.css': { type: mediaTypes.css, read: () => Promise.resolve(pageStyle) },
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
  @Header('content-type', mediaTypes.html)
  @Header('content-security-policy', policy)
  docs(): string {
    return docsPage;
  }

  @Route(errorsEndpoint)
  @Header('content-type', mediaTypes.html)
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
