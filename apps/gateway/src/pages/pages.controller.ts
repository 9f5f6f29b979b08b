import { Controller, Header, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '@holdfast/platform';
import { endpoint, Route } from '../endpoints/endpoint.js';
import { assetOf, PAGES, type BuiltPages } from './built-pages.js';

const tag = 'Pages';
const unrecorded = 'a static page: the routes that it calls record what is done on it';
const html = 'text/html; charset=utf-8';
/** Own origin only, nothing inline, no framing. Pages leave by `location.assign`, so no form action is needed. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** Passkeys for the page itself, not for frames in it. */
const permissions = 'publickey-credentials-get=(self), publickey-credentials-create=(self)';

const sameForAll =
  'The same document for every organization, known or not: only the JSON routes say which exist. Never cached; it ' +
  'loads its files from `/pages`.';

export const claimPageEndpoint = endpoint({
  id: 'getClaimPage',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/o/{shortId}/claim',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'The page that a claim link opens',
  description:
    `The token stands after the \`#\` of the link, so no server receives it. Opening the page changes nothing. ` +
    `${sameForAll}`,
  params: z.object({ shortId: z.string().describe("The organization's short identifier") }),
  responses: { 200: { description: 'The page' } },
});

export const signInPageEndpoint = endpoint({
  id: 'getSignInPage',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/o/{shortId}/sign-in/{uid}',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'The page on which a customer signs in',
  description: `The issuer sends the browser here. ${sameForAll}`,
  params: z.object({
    shortId: z.string().describe("The organization's short identifier"),
    uid: z.string().describe('The sign-in'),
  }),
  responses: { 200: { description: 'The page' } },
});

export const pageAssetEndpoint = endpoint({
  id: 'getPageAsset',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/pages/{file}',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'What the pages load',
  description:
    'Files with a hash in their name never change and may be cached for ever. Names without a hash lead to the ' +
    'current ' +
    'file, and may be cached for five minutes.',
  params: z.object({ file: z.string().describe('Name of the file') }),
  responses: { 200: { description: 'The file' } },
  errors: ['not_found'],
});

export const faviconEndpoint = endpoint({
  id: 'getFavicon',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/favicon.ico',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'The icon that browsers ask for by themselves',
  responses: { 200: { description: 'The icon' } },
});

/**
 * For how long a file is kept under its name. Another version's file keeps the name that was asked for, so it must not
 * be kept under it.
 */
const lives = { ever: 'public, max-age=31536000, immutable', while: 'public, max-age=300', not: 'no-store' };

@Controller()
export class PagesController {
  constructor(@Inject(PAGES) private readonly pages: BuiltPages) {}

  @Route(claimPageEndpoint)
  @Header('content-type', html)
  @Header('content-security-policy', policy)
  @Header('permissions-policy', permissions)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  claim(): string {
    return this.pages.claim;
  }

  @Route(signInPageEndpoint)
  @Header('content-type', html)
  @Header('content-security-policy', policy)
  @Header('permissions-policy', permissions)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  signIn(): string {
    return this.pages.signIn;
  }

  @Route(pageAssetEndpoint)
  asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send((request.params as { file: string }).file, request, reply);
  }

  @Route(faviconEndpoint)
  favicon(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send('favicon.ico', request, reply);
  }

  private send(file: string, request: FastifyRequest, reply: FastifyReply): void {
    const asset = assetOf(this.pages.assets, file);
    if (!asset) throw new AppError('not_found');
    const { keep, etag, type, content } = asset;
    void reply.headers({ 'cache-control': lives[keep], etag });
    if (keep === 'while' && matches(request.headers['if-none-match'], etag)) void reply.code(304).send();
    else void reply.type(type).send(content);
  }
}

/** RFC 9110 §13.1.2; a proxy that compresses may have made the tag a weak one. */
function matches(given: string | undefined, etag: string): boolean {
  return (
    given !== undefined && given.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  );
}
