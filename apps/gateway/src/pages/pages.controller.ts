import { applyDecorators, Controller, Header, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hubPaths } from '@holdfast/contracts';
import { endpoint, type Endpoint } from '@holdfast/contracts/http';
import { AppError } from '@holdfast/platform';
import { mediaTypes } from '../edge/media-types.js';
import { Route } from '../endpoints/route.js';
import { assetOf, cacheControl, PAGES, type BuiltPages } from './built-pages.js';
import { scriptPolicy } from './script-policy.js';
import { sendStatic } from './static-content.js';

const tag = 'Pages';
const unrecorded = 'a static page: the routes that it calls record what is done on it';

const sameForAll =
  'The same document for every organization, known or not: only the JSON routes show which exist. Never cached; it ' +
  'loads its files from `/pages`.';

/** Headers of a page. Passkeys are allowed for the page itself, not for frames in it. */
function PageHeaders(policy = scriptPolicy()): MethodDecorator {
  return applyDecorators(
    Header('content-type', mediaTypes.html),
    Header('content-security-policy', policy),
    Header('permissions-policy', 'publickey-credentials-get=(self), publickey-credentials-create=(self)'),
    Header('cache-control', 'no-store'),
    Header('referrer-policy', 'no-referrer'),
  );
}

const claimPageEndpoint = endpoint({
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
    `The token is in the fragment of the link, so no server receives it. Opening the page changes nothing. ` +
    `${sameForAll}`,
  params: z.object({ shortId: z.string().describe("The organization's short identifier") }),
  responses: { 200: { description: 'The page' } },
});

const invitationPageEndpoint = endpoint({
  id: 'getInvitationPage',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/o/{shortId}/invitation',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'The page that an invitation link opens',
  description:
    'A person of the organization accepts the invitation here. The token is in the fragment of the link, so no ' +
    `server receives it. Opening the page changes nothing. ${sameForAll}`,
  params: z.object({ shortId: z.string().describe("The organization's short identifier") }),
  responses: { 200: { description: 'The page' } },
});

const accountPageEndpoint = endpoint({
  id: 'getAccountPage',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/o/{shortId}/account',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: "The customer's own page: credential, passkeys, and where they are signed in",
  description: sameForAll,
  params: z.object({ shortId: z.string().describe("The organization's short identifier") }),
  query: z.object({ ui_locales: z.string().optional().describe('Language that the app requested') }),
  responses: { 200: { description: 'The page' } },
});

const passkeyPageEndpoint = endpoint({
  id: 'getPasskeyPage',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/o/{shortId}/passkey',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'The page on which a further device makes a passkey, by a link of the account page',
  description: `The token is in the fragment of the link. Opening the page changes nothing. ${sameForAll}`,
  params: z.object({ shortId: z.string().describe("The organization's short identifier") }),
  responses: { 200: { description: 'The page' } },
});

const signInPageEndpoint = endpoint({
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
  query: z.object({ ui_locales: z.string().optional().describe('Language that the app requested') }),
  responses: { 200: { description: 'The page' } },
});

/** The hub has a link for each screen and object; its router reads them (apps/hub/src/app/router.tsx). */
function hubEndpoint(id: string, below: string, summary: string, params: Record<string, z.ZodString>): Endpoint {
  return endpoint({
    id,
    method: 'GET',
    public: 'static files, the same for everybody',
    limit: 'page',
    path: `${hubPaths.page}${below}`,
    tag,
    unrecorded,
    internal: 'a page, or what it loads',
    summary,
    description: sameForAll,
    params: z.object({ shortId: z.string().describe("The organization's short identifier"), ...params }),
    query: z.object({ sign_in: z.string().optional().describe('How the sign-in that has just ended failed') }),
    responses: { 200: { description: 'The page' } },
  });
}
const screen = z.string().describe('The screen');
const object = z.string().describe('What it shows');
const hubPageEndpoint = hubEndpoint('getHubPage', '', 'The hub, where people of the organization work', {});
const hubScreenEndpoint = hubEndpoint('getHubScreen', '/{screen}', 'A screen of the hub', { screen });
const hubObjectEndpoint = hubEndpoint('getHubObject', '/{screen}/{object}', 'An object in the hub', { screen, object });

const verifyPageEndpoint = endpoint({
  id: 'getVerifyPage',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/verify',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'The page on which anybody verifies an exported audit log, in the browser',
  description: 'The file stays in the browser: the policy of the page allows no connection. Never cached.',
  responses: { 200: { description: 'The page' } },
});

const pageAssetEndpoint = endpoint({
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
    'A file with a hash in its name never changes and may be cached without limit. A name without a hash leads to ' +
    'the current file, which may be cached for five minutes.',
  params: z.object({ file: z.string().describe('Name of the file') }),
  responses: { 200: { description: 'The file' } },
  errors: ['not_found'],
});

const faviconEndpoint = endpoint({
  id: 'getFavicon',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/favicon.ico',
  tag,
  unrecorded,
  internal: 'a page, or what it loads',
  summary: 'The icon that browsers request themselves',
  responses: { 200: { description: 'The icon' } },
});

/** People decide there about rights: no text may become markup or a script, whatever a library does. */
const hubPolicy = scriptPolicy({ trustedTypes: true });

/** A worker has the policy of its own script, not that of the page: it may load and send nothing. */
const assetPolicy = "default-src 'none'";

@Controller()
export class PagesController {
  constructor(@Inject(PAGES) private readonly pages: BuiltPages) {}

  @Route(claimPageEndpoint)
  @PageHeaders()
  claim(): string {
    return this.pages.documents.claim;
  }

  @Route(invitationPageEndpoint)
  @PageHeaders()
  invitation(): string {
    return this.pages.documents.invitation;
  }

  @Route(accountPageEndpoint)
  @PageHeaders()
  account(): string {
    return this.pages.documents.account;
  }

  @Route(passkeyPageEndpoint)
  @PageHeaders()
  passkey(): string {
    return this.pages.documents.passkey;
  }

  @Route(signInPageEndpoint)
  @PageHeaders()
  signIn(): string {
    return this.pages.documents['sign-in'];
  }

  @Route(hubPageEndpoint)
  @PageHeaders(hubPolicy)
  hub(): string {
    return this.pages.documents.hub;
  }

  @Route(hubScreenEndpoint)
  @PageHeaders(hubPolicy)
  hubScreen(): string {
    return this.pages.documents.hub;
  }

  @Route(hubObjectEndpoint)
  @PageHeaders(hubPolicy)
  hubObject(): string {
    return this.pages.documents.hub;
  }

  @Route(verifyPageEndpoint)
  @PageHeaders(scriptPolicy({ connections: false }))
  verify(): string {
    return this.pages.documents.verify;
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
    void reply.header('content-security-policy', assetPolicy);
    sendStatic(asset, cacheControl[asset.caching], request, reply);
  }
}
