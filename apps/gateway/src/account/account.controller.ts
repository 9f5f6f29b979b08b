import { randomBytes } from 'node:crypto';
import { Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  accountInteraction,
  addCustomerPasskey,
  beginCustomerPasskey,
  beginSignIn,
  confirmPasskeyLink,
  createAccountSession,
  createPasskeyLink,
  endAccountSession,
  endOwnSessions,
  endPasskeyLink,
  findAccountSession,
  getCustomerAccount,
  getPasskeyLink,
  listOwnSessions,
  removeCustomerPasskey,
  renameCustomerPasskey,
  type organizationProfile,
  type ReplyOf,
  type RequestContext,
} from '@holdfast/contracts';
import type { InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { AppError, sha256 } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { OrganizationProfiles, shownOrganizationOf } from '../access/organization-profiles.js';
import { ClaimBrowser } from '../claim/claim-browser.js';
import { ClaimGuard } from '../claim/claim.guard.js';
import type { GatewayConfig } from '../config.js';
import { isRecordedBy } from '../edge/recording.js';
import { customerContextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import {
  accountEndpoint,
  accountOptionsEndpoint,
  accountSignInEndpoint,
  accountSignOutEndpoint,
  addPasskeyEndpoint,
  confirmLinkEndpoint,
  createLinkEndpoint,
  endLinkEndpoint,
  endSessionsEndpoint,
  linkStateEndpoint,
  passkeyOptionsEndpoint,
  removePasskeyEndpoint,
  renamePasskeyEndpoint,
} from './account.endpoints.js';

/** A request of a page that is signed in. */
interface SignedIn {
  organization: ReplyOf<typeof organizationProfile>;
  /** Names the session to auth. */
  key: { session: string; browser: string };
  context: RequestContext;
}

interface FoundAccount extends SignedIn {
  found: ReplyOf<typeof findAccountSession>;
}

/**
 * The JSON routes of the account page. A session has two secrets, and is of no use without both: one in a cookie, which
 * no script can read, and one that the page keeps in its memory. So a stolen cookie alone opens nothing.
 */
@Controller()
@UseGuards(ClaimGuard)
export class AccountController {
  private readonly baseUrl: string;
  private readonly browser: ClaimBrowser;

  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
    @Inject(CONFIG) { BASE_URL }: GatewayConfig,
  ) {
    this.baseUrl = BASE_URL;
    this.browser = new ClaimBrowser(BASE_URL, 'account');
  }

  @Route(accountOptionsEndpoint)
  async options(
    @Input() { params: { shortId } }: InputOf<typeof accountOptionsEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const organization = await this.organizationOf(shortId);
    const interaction = accountInteraction(this.browser.begin(request, reply, shortId));
    const begun = { interaction, ...ofRelyingParty(organization) };
    return this.bus.request(beginSignIn, begun, customerContextOf(request, shortId));
  }

  @Route(accountSignInEndpoint)
  async signIn(
    @Input() { params: { shortId }, body: { response } }: InputOf<typeof accountSignInEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const organization = await this.organizationOf(shortId);
    if (this.browser.end(request, shortId) === undefined) throw new AppError('ceremony_expired');
    // The cookie lasts from now on as long as the session.
    const browser = this.browser.begin(request, reply, shortId);
    const secret = randomBytes(32).toString('base64url');
    const result = await this.bus.request(
      createAccountSession,
      { session: hashOf(secret), browser, response, ...ofRelyingParty(organization) },
      customerContextOf(request, shortId),
    );
    isRecordedBy(request, 'auth');
    if (result.outcome === 'signed_in') return { session: secret };
    return { refused: result.reason, ...(result.removed && { removed: result.removed }) };
  }

  @Route(accountEndpoint)
  async read(
    @Input() { params, body }: InputOf<typeof accountEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { organization, key, found, context } = await this.found(params.shortId, body.session, request);
    const [account, { items }] = await Promise.all([
      this.bus.request(getCustomerAccount, found, context),
      this.bus.request(listOwnSessions, key, context),
    ]);
    return { organization: shownOrganizationOf(organization), current: found.passkey, ...account, sessions: items };
  }

  @Route(accountSignOutEndpoint)
  async signOut(
    @Input() { params, body }: InputOf<typeof accountSignOutEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { key, context } = await this.signedIn(params.shortId, body.session, request);
    return this.bus.request(endAccountSession, key, context);
  }

  @Route(passkeyOptionsEndpoint)
  async beginPasskey(
    @Input() { params, body }: InputOf<typeof passkeyOptionsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { organization, key, found, context } = await this.found(params.shortId, body.session, request);
    const addition = { ...found, browser: key.browser, ...ofRelyingParty(organization) };
    return this.bus.request(beginCustomerPasskey, { ...addition, organizationName: organization.name }, context);
  }

  @Route(addPasskeyEndpoint)
  async addPasskey(
    @Input() { params, body: { session, response } }: InputOf<typeof addPasskeyEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { organization, key, found, context } = await this.found(params.shortId, session, request);
    const addition = { ...found, browser: key.browser, response, ...ofRelyingParty(organization) };
    const added = await this.bus.request(addCustomerPasskey, addition, context);
    isRecordedBy(request, 'handler');
    return added;
  }

  @Route(renamePasskeyEndpoint)
  async renamePasskey(
    @Input() { params, body: { session, passkey, name } }: InputOf<typeof renamePasskeyEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { found, context } = await this.found(params.shortId, session, request);
    const renamed = await this.bus.request(renameCustomerPasskey, { ...found, renamed: passkey, name }, context);
    isRecordedBy(request, 'handler');
    return renamed;
  }

  @Route(removePasskeyEndpoint)
  async removePasskey(
    @Input() { params, body: { session, passkey } }: InputOf<typeof removePasskeyEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { organization, found, context } = await this.found(params.shortId, session, request);
    const removal = { ...found, removed: passkey, ...ofRelyingParty(organization) };
    const removed = await this.bus.request(removeCustomerPasskey, removal, context);
    isRecordedBy(request, 'handler');
    return removed;
  }

  @Route(createLinkEndpoint)
  async createLink(
    @Input() { params, body }: InputOf<typeof createLinkEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { found, context } = await this.found(params.shortId, body.session, request);
    const { token, expiresAt } = await this.bus.request(createPasskeyLink, found, context);
    // In the fragment, so that no server log and no Referer ever contains it.
    return { address: `${this.baseUrl}/o/${params.shortId}/passkey#${token}`, expiresAt };
  }

  @Route(linkStateEndpoint)
  async linkState(
    @Input() { params, body }: InputOf<typeof linkStateEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { found, context } = await this.found(params.shortId, body.session, request);
    return this.bus.request(getPasskeyLink, found, context);
  }

  @Route(confirmLinkEndpoint)
  async confirmLink(
    @Input() { params, body: { session, code } }: InputOf<typeof confirmLinkEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { organization, found, context } = await this.found(params.shortId, session, request);
    const confirmation = { ...found, code, ...ofRelyingParty(organization) };
    const confirmed = await this.bus.request(confirmPasskeyLink, confirmation, context);
    isRecordedBy(request, 'handler');
    return confirmed;
  }

  @Route(endLinkEndpoint)
  async endLink(
    @Input() { params, body }: InputOf<typeof endLinkEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { found, context } = await this.found(params.shortId, body.session, request);
    return this.bus.request(endPasskeyLink, found, context);
  }

  @Route(endSessionsEndpoint)
  async endSessions(
    @Input() { params, body: { session, only } }: InputOf<typeof endSessionsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { key, context } = await this.signedIn(params.shortId, session, request);
    const which = only === undefined ? {} : { only };
    const ended = await this.bus.request(endOwnSessions, { ...key, ...which }, context);
    if (ended.changed > 0) isRecordedBy(request, 'handler');
    return ended;
  }

  /** Auth decides whether there is such a session. A browser without the cookie has none. */
  private async signedIn(shortId: string, session: string, request: FastifyRequest): Promise<SignedIn> {
    const organization = await this.organizationOf(shortId);
    const browser = this.browser.end(request, shortId);
    if (browser === undefined) throw new AppError('account_session_ended');
    return { organization, key: { session: hashOf(session), browser }, context: customerContextOf(request, shortId) };
  }

  /** The customer of the session. @throws account_session_ended */
  private async found(shortId: string, session: string, request: FastifyRequest): Promise<FoundAccount> {
    const signedIn = await this.signedIn(shortId, session, request);
    return { ...signedIn, found: await this.bus.request(findAccountSession, signedIn.key, signedIn.context) };
  }

  private async organizationOf(shortId: string): Promise<ReplyOf<typeof organizationProfile>> {
    const organization = await this.organizations.find(shortId);
    if (!organization) throw new AppError('not_found');
    return organization;
  }
}

function ofRelyingParty({ relyingParty }: ReplyOf<typeof organizationProfile>) {
  return relyingParty ? { relyingParty } : {};
}

function hashOf(secret: string): string {
  return sha256(secret).toString('base64url');
}
