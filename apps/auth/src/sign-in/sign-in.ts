import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { InteractionResults } from 'oidc-provider';
import {
  beginSignIn,
  completeSignIn,
  type ReplyOf,
  type RequestContext,
  type SignIn,
  type SignInResult,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { ClientRegistry } from '../clients/client-registry.js';
import { IssuerAudit } from '../organization-issuer/audit/issuer-audit.js';
import type { Interaction } from '../organization-issuer/interactions/sign-in-binding.js';
import { passkeyAcr } from '../organization-issuer/issuer-provider.js';
import type { Issuer } from '../organization-issuer/issuers.js';
import type { OrganizationProfile } from '../organizations/organizations.js';
import { anonymous, type IssuerRequest } from '../request-context/issuer-request.js';

/** One call of the sign-in page: for which sign-in, by which browser. */
export interface SignInContext {
  issuer: Issuer;
  uid: string;
  request: IncomingMessage;
  response: ServerResponse;
  /** What is found out about it. */
  facts: IssuerRequest;
}

/** RFC 8176: by a key that cannot leave its device, or one that is kept in sync; the user was verified. */
const amrOf = (deviceBound: boolean | undefined) => [
  'pop',
  ...(deviceBound === undefined ? [] : [deviceBound ? 'hwk' : 'swk']),
  'user',
];

/** What the sign-in page can do, once its sign-in is known to be this browser's. */
@Injectable()
export class SignInSteps {
  constructor(
    private readonly bus: Bus,
    private readonly clients: ClientRegistry,
    private readonly audit: IssuerAudit,
  ) {}

  async show(call: SignInContext): Promise<SignIn> {
    const { params } = await this.underWay(call);
    const { shortId, name, relyingParty } = call.issuer.organization;
    const { app } = call.facts.client!;
    const uri = homeOf((params as { redirect_uri: string }).redirect_uri, app.postLogoutRedirectUris);
    return {
      organization: { shortId, name },
      app: { name: app.displayName ?? app.name, ...(uri && { uri }) },
      ...(relyingParty?.earlier && { earlierPasskeys: true }),
    };
  }

  async options(call: SignInContext): Promise<ReplyOf<typeof beginSignIn>> {
    await this.underWay(call);
    return this.bus.request(beginSignIn, { interaction: call.uid, ...relyingPartyOf(call) }, contextOf(call));
  }

  async complete(call: SignInContext, body: Record<string, unknown>): Promise<SignInResult> {
    const interaction = await this.underWay(call);
    const { response, ...rest } = body;
    if (response === null || typeof response !== 'object' || Array.isArray(response) || Object.keys(rest).length > 0) {
      throw new AppError(
        'invalid_request',
        'The body must hold `response`, the answer of the authenticator, and nothing else.',
        { status: 422 },
      );
    }
    const { credentialType } = call.facts.client!.app;
    const input = {
      interaction: call.uid,
      ...relyingPartyOf(call),
      ...(credentialType && { credentialType }),
      response: response as ReplyOf<typeof beginSignIn>['options'],
    };
    const result = await this.bus.request(completeSignIn, input, customerContextOf(call));
    if (result.outcome === 'refused') return this.refuse(call, interaction, result);
    call.facts.subject = result.subject;
    await this.leaveOther(call, interaction, result.subject);
    const login = {
      login: {
        accountId: result.subject,
        acr: passkeyAcr,
        amr: amrOf(result.deviceBound),
        version: result.version ?? 0,
      },
      select_account: {},
    };
    return { redirectTo: await finish(interaction, login) };
  }

  async cancel(call: SignInContext): Promise<SignInResult> {
    const interaction = await this.underWay(call);
    await this.audit.refuse(orgOf(call), call.facts, 'cancelled');
    return { redirectTo: await finish(interaction, triedInVain(interaction) ? refusedError : leftError) };
  }

  private async refuse(
    call: SignInContext,
    interaction: Interaction,
    { reason, subject }: Extract<ReplyOf<typeof completeSignIn>, { outcome: 'refused' }>,
  ): Promise<SignInResult> {
    if (subject !== undefined) call.facts.subject = subject;
    await this.audit.refuse(orgOf(call), call.facts, reason);
    // Another passkey may do. This customer's will not, however often they try.
    if (reason === 'no_live_credential')
      return { refused: reason, redirectTo: await finish(interaction, refusedError) };
    if (!triedInVain(interaction)) {
      // Read again: what another tab has finished meanwhile must not be written over.
      const current = await this.underWay(call);
      current.lastSubmission = { refused: reason };
      await current.persist();
    }
    return { refused: reason };
  }

  /** The sign-in of this browser with this id. @throws unknown_sign_in */
  private async underWay({
    issuer: { signIns, organization },
    uid,
    request,
    response,
    facts,
  }: SignInContext): Promise<Interaction> {
    const interaction = await signIns.find(request, response, uid);
    // A result is there when it is on its way back to the app.
    if (!interaction || interaction.result) throw new AppError('unknown_sign_in');
    const client = await this.clients.find((interaction.params as { client_id: string }).client_id);
    if (!client || client.refused || client.app.org !== organization.shortId) throw new AppError('unknown_sign_in');
    facts.client = client;
    return interaction;
  }

  /**
   * Whoever was signed in in this browser before is not any more. The library would ask by a page of its own, and join
   * the new sign-in to the old session.
   */
  private async leaveOther(
    { issuer: { provider } }: SignInContext,
    interaction: Interaction,
    subject: string,
  ): Promise<void> {
    const { session } = interaction;
    if (!session?.uid || session.accountId === undefined || session.accountId === subject) return;
    const before = await provider.Session.findByUid(session.uid);
    delete interaction.session;
    await interaction.persist();
    await before?.destroy();
  }
}

/**
 * The customer showed a passkey, and is refused: no credential is known for it, or none that is live (docs/connect.md).
 */
const refusedError: InteractionResults = {
  error: 'access_denied',
  error_description: 'the customer has no live credential',
};
/** The customer left without showing a passkey, so nobody is signed in (OpenID Connect Core §3.1.2.6). */
const leftError: InteractionResults = {
  error: 'login_required',
  error_description: 'the customer left without signing in',
};

/** Whether a passkey was shown in this sign-in that nobody here is known by. */
function triedInVain({ lastSubmission }: Interaction): boolean {
  return lastSubmission?.refused !== undefined;
}

/** Where the browser goes on. */
async function finish(interaction: Interaction, result: InteractionResults): Promise<string> {
  interaction.result = result;
  await interaction.persist();
  return interaction.returnTo;
}

/**
 * A page of the app to go back to: where a sign-out leads, failing that the origin of the redirect URI. None for a
 * private-use scheme (RFC 8252 §7.1), which only takes answers.
 */
function homeOf(redirectUri: string, postLogoutRedirectUris: readonly string[]): string | undefined {
  const { protocol, origin } = new URL(redirectUri);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return postLogoutRedirectUris.find((uri) => new URL(uri).origin === origin) ?? origin;
}

function orgOf({ issuer }: SignInContext): string {
  return issuer.organization.shortId;
}

/** For which RP IDs this organization takes passkeys, as directory has it now: issuance asks nobody. */
function relyingPartyOf({ issuer }: SignInContext): Pick<OrganizationProfile, 'relyingParty'> {
  const { relyingParty } = issuer.organization;
  return relyingParty ? { relyingParty } : {};
}

function contextOf(call: SignInContext): RequestContext {
  return { org: orgOf(call), actor: anonymous, request: call.facts.info, auditId: crypto.randomUUID() };
}

/** A record that is written with it is the customer's own, who renews their credential by signing in. */
function customerContextOf(call: SignInContext): RequestContext {
  const context = contextOf(call);
  return { ...context, request: { ...context.request, ...call.facts.person } };
}
