import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endpoint, type Endpoint } from '@holdfast/contracts/http';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { mediaTypes } from '../edge/media-types.js';
import { ENDPOINTS, Route } from '../endpoints/route.js';
import { assetOf, cacheControl } from '../pages/built-pages.js';
import { scriptPolicy } from '../pages/script-policy.js';
import { compressed, sendStatic, type StaticContent } from '../pages/static-content.js';
import { readDocsFiles } from './docs-files.js';
import { openApi } from './openapi.js';

const tag = 'Reference';
const sameForAll = 'the same for everybody';
/** A caller that has it asks whether it is still the same. */
const revalidated = 'no-cache';
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
  responses: {
    200: {
      description: 'The description',
      media: ['application/json'],
      headers: { ETag: 'The version of the description: with it in `If-None-Match` the response is 304' },
    },
    304: { description: 'The description is the one that the caller has' },
  },
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

@Controller()
export class DocsController {
  /** Made at the first request, so that a start does not wait for it. */
  private readonly files = once(readDocsFiles);
  private readonly description: () => Promise<StaticContent>;

  constructor(@Inject(CONFIG) config: GatewayConfig, @Inject(ENDPOINTS) endpoints: readonly Endpoint[]) {
    const description = openApi(endpoints, config.BASE_URL);
    this.description = once(() => compressed(mediaTypes.json, Buffer.from(JSON.stringify(description))));
  }

  @Route(openApiEndpoint)
  async openApi(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendStatic(await this.description(), revalidated, request, reply);
  }

  @Route(docsEndpoint)
  async docs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('content-security-policy', policy);
    sendStatic((await this.files()).docs, revalidated, request, reply);
  }

  @Route(errorsEndpoint)
  async errors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('content-security-policy', policy);
    sendStatic((await this.files()).errors, revalidated, request, reply);
  }

  @Route(assetEndpoint)
  async asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asset = assetOf((await this.files()).assets, (request.params as { file: string }).file);
    if (!asset) throw new AppError('not_found');
    sendStatic(asset, cacheControl[asset.caching], request, reply);
  }
}

/** Made once, unless it fails: then the next request tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
