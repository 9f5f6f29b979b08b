import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { InteractionResults } from 'oidc-provider';
import type { RequestContext, SignIn, SignInResult } from '@holdfast/contracts';
import { AppError, newId } from '@holdfast/platform';
import { ClientRegistry } from '../clients/client-registry.js';
import { IssuerAudit } from '../organization-issuer/audit/issuer-audit.js';
import type { Interaction } from '../organization-issuer/interactions/sign-in-binding.js';
import { passkeyAcr } from '../organization-issuer/issuer-provider.js';
import type { Issuer } from '../organization-issuer/issuers.js';
import { personDenials } from '../organization-issuer/person-denials.js';
import { anonymous, type IssuerRequest } from '../request-context/issuer-request.js';
import { PasskeyVerification, type Ceremony, type SignInOptions, type Verified } from './passkey-verification.js';

/** A request of the sign-in page, with the sign-in that it is for. */
export interface SignInContext {
  issuer: Issuer;
  uid: string;
  request: IncomingMessage;
  response: ServerResponse;
  issuerRequest: IssuerRequest;
}

/** RFC 8176: a key that cannot leave its device (`hwk`) or is synchronized (`swk`), with user verification. */
const amrOf = (deviceBound: boolean | undefined) => [
  'pop',
  ...(deviceBound === undefined ? [] : [deviceBound ? 'hwk' : 'swk']),
  'user',
];

/** The API of the sign-in page. Each method first checks that the browser began the sign-in. */
@Injectable()
export class SignInSteps {
  constructor(
    private readonly passkeys: PasskeyVerification,
    private readonly clients: ClientRegistry,
    private readonly audit: IssuerAudit,
  ) {}

  async show(context: SignInContext): Promise<SignIn> {
    const { params, deviceCode } = await this.findSignIn(context);
    const { relyingParty, ...organization } = context.issuer.organization;
    const { app } = context.issuerRequest.client!;
    const { startUri, helpUri, accentColor, logoPath } = app;
    // A device has no page to return to.
    const uri =
      deviceCode === undefined
        ? (startUri ?? homeOf((params as { redirect_uri: string }).redirect_uri, app.postLogoutRedirectUris))
        : undefined;
    return {
      organization: {
        ...organization,
        ...(helpUri !== undefined && { helpUrl: helpUri }),
        ...(accentColor !== undefined && { accentColor }),
        ...(logoPath !== undefined && { logoPath }),
      },
      app: { name: app.displayName ?? app.name, ...(uri && { uri }) },
      audience: app.audience,
      ...(deviceCode !== undefined && { device: true as const }),
      ...(relyingParty?.earlier && { earlierPasskeys: true }),
    };
  }

  async options(context: SignInContext): Promise<SignInOptions> {
    await this.findSignIn(context);
    return this.passkeys.begin(context.issuerRequest.client!.app, ceremonyOf(context), anonymousContext(context));
  }

  async complete(context: SignInContext, body: Record<string, unknown>): Promise<SignInResult> {
    const interaction = await this.findSignIn(context);
    const { response, ...rest } = body;
    if (response === null || typeof response !== 'object' || Array.isArray(response) || Object.keys(rest).length > 0) {
      throw new AppError(
        'invalid_request',
        'The body must have the member `response`, the response of the authenticator, and no other.',
        { status: 422 },
      );
    }
    const input = { ...ceremonyOf(context), response: response as SignInOptions['options'] };
    const result = await this.passkeys.complete(context.issuerRequest.client!.app, input, personalContext(context));
    if (result.outcome === 'refused') return this.refuse(context, interaction, result);
    context.issuerRequest.subject = result.subject;
    if (result.counterWentBack) await this.audit.recordCounterWentBack(orgOf(context), context.issuerRequest);
    await this.endOtherSession(context, interaction, result.subject);
    const login = {
      login: {
        accountId: result.subject,
        acr: passkeyAcr,
        amr: amrOf(result.deviceBound),
        version: result.version,
        ...(result.passkey !== undefined && { passkey: result.passkey }),
      },
      select_account: {},
    };
    return { redirectTo: await finish(interaction, login) };
  }

  async cancel(context: SignInContext): Promise<SignInResult> {
    const interaction = await this.findSignIn(context);
    await this.audit.recordSignInError(orgOf(context), context.issuerRequest, 'cancelled');
    return { redirectTo: await finish(interaction, errorOfLeaving(context, interaction)) };
  }

  private async refuse(
    context: SignInContext,
    interaction: Interaction,
    { reason, removed, subject }: Extract<Verified, { outcome: 'refused' }>,
  ): Promise<SignInResult> {
    if (subject !== undefined) context.issuerRequest.subject = subject;
    await this.audit.recordSignInError(orgOf(context), context.issuerRequest, reason);
    // After the other reasons they may try another passkey.
    if (reason === 'no_live_credential')
      return { refused: reason, redirectTo: await finish(interaction, noCredentialError) };
    if (rejectionIn(interaction) !== reason) {
      // Read again, so that a sign-in which another tab has completed meanwhile is not overwritten.
      const current = await this.findSignIn(context);
      current.lastSubmission = { refused: reason };
      await current.persist();
    }
    return { refused: reason, ...(removed && { removed }) };
  }

  /** The sign-in of this browser with this id. @throws unknown_sign_in */
  private async findSignIn({
    issuer: { signIns, organization },
    uid,
    request,
    response,
    issuerRequest,
  }: SignInContext): Promise<Interaction> {
    const interaction = await signIns.find(request, response, uid);
    // A sign-in with a result is complete: its browser is about to return to the app.
    if (!interaction || interaction.result) throw new AppError('unknown_sign_in');
    const client = await this.clients.find((interaction.params as { client_id: string }).client_id);
    if (!client || client.refused || client.app.org !== organization.shortId) throw new AppError('unknown_sign_in');
    issuerRequest.client = client;
    return interaction;
  }

  /**
   * Ends the session of another customer or person in this browser. The library would ask for confirmation on a page of
   * its own, and continue the old session with the new sign-in.
   */
  private async endOtherSession(
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

/** For a customer who presented a passkey that has no live credential (docs/connect.md). */
const noCredentialError: InteractionResults = {
  error: 'access_denied',
  error_description: 'the customer has no live credential',
};
/** For a customer who left without presenting a passkey (OpenID Connect Core §3.1.2.6). */
const notSignedInError: InteractionResults = {
  error: 'login_required',
  error_description: 'the customer left without signing in',
};
const personNotSignedInError: InteractionResults = {
  error: 'login_required',
  error_description: 'the person left without signing in',
};

/** Why a passkey was refused in this sign-in, if one was. */
function rejectionIn({ lastSubmission }: Interaction): unknown {
  return lastSubmission?.refused;
}

/** The error for the app when the sign-in page is left without signing in (docs/adr/0029-sign-in-errors.md). */
function errorOfLeaving({ issuerRequest }: SignInContext, interaction: Interaction): InteractionResults {
  const rejection = rejectionIn(interaction);
  const isPerson = issuerRequest.client!.app.audience === 'people';
  if (rejection === undefined) return isPerson ? personNotSignedInError : notSignedInError;
  if (!isPerson) return noCredentialError;
  const description = personDenials[rejection as keyof typeof personDenials] as string | undefined;
  return { error: 'access_denied', error_description: description ?? personDenials.unknown };
}

/** Stores the result of the sign-in, and returns the address where the browser continues. */
async function finish(interaction: Interaction, result: InteractionResults): Promise<string> {
  interaction.result = result;
  await interaction.persist();
  return interaction.returnTo;
}

/**
 * A page of the app to return to: a post-logout redirect URI, or else the origin of the redirect URI. Undefined for a
 * private-use scheme (RFC 8252 §7.1), which has no pages.
 */
function homeOf(redirectUri: string, postLogoutRedirectUris: readonly string[]): string | undefined {
  const { protocol, origin } = new URL(redirectUri);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return postLogoutRedirectUris.find((uri) => new URL(uri).origin === origin) ?? origin;
}

function orgOf({ issuer }: SignInContext): string {
  return issuer.organization.shortId;
}

/** With the RP IDs of the organization, from directory. Issuance does not query them itself. */
function ceremonyOf({ issuer, uid }: SignInContext): Ceremony {
  const { relyingParty } = issuer.organization;
  return { interaction: uid, ...(relyingParty && { relyingParty }) };
}

/** The actor is anonymous until the passkey is verified. */
function anonymousContext(context: SignInContext): RequestContext {
  return { org: orgOf(context), actor: anonymous, request: context.issuerRequest.info, auditId: newId() };
}

/** With address and user agent: issuance records a renewal by this sign-in as the customer's. */
function personalContext(context: SignInContext): RequestContext {
  const { info, personalOrigin } = context.issuerRequest;
  return { ...anonymousContext(context), request: { ...info, ...personalOrigin } };
}
