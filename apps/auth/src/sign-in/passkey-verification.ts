import { Injectable } from '@nestjs/common';
import {
  beginPersonSignIn,
  beginSignIn,
  completePersonSignIn,
  completeSignIn,
  type App,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type SignInResult,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';

export type SignInOptions = ReplyOf<typeof beginSignIn>;
/** The sign-in in progress, and the RP IDs of the organization. */
export type Ceremony = Pick<RequestOf<typeof beginSignIn>, 'interaction' | 'relyingParty'>;

/** Why a passkey is refused, and whether its browser may hide it. */
export type Rejection = { reason: NonNullable<SignInResult['refused']> } & Pick<SignInResult, 'removed'>;

/** The customer or person to whom a passkey belongs, or why it is refused. */
export type Verified =
  | {
      outcome: 'signed_in';
      subject: string;
      version: number;
      /** Of a customer. */
      passkey?: string;
      deviceBound: boolean | undefined;
      counterWentBack: boolean;
    }
  | ({ outcome: 'refused'; subject: string | undefined } & Rejection);

/** Passkeys of customers are verified by issuance, those of people by directory: the app decides. */
@Injectable()
export class PasskeyVerification {
  constructor(private readonly bus: Bus) {}

  begin({ audience }: App, ceremony: Ceremony, context: RequestContext): Promise<SignInOptions> {
    return this.bus.request(audience === 'people' ? beginPersonSignIn : beginSignIn, ceremony, context);
  }

  async complete(
    { audience, clientId, credentialType }: App,
    ceremony: Ceremony & { response: SignInOptions['options'] },
    context: RequestContext,
  ): Promise<Verified> {
    if (audience === 'people') {
      const reply = await this.bus.request(completePersonSignIn, { ...ceremony, clientId }, context);
      if (reply.outcome === 'refused') return refused(reply, reply.person);
      const { person, version, deviceBound, counterWentBack = false } = reply;
      return { outcome: 'signed_in', subject: person, version, deviceBound, counterWentBack };
    }
    const input = { ...ceremony, ...(credentialType && { credentialType }) };
    const reply = await this.bus.request(completeSignIn, input, context);
    if (reply.outcome === 'refused') return refused(reply, reply.subject);
    const { subject, version = 0, passkey, deviceBound, counterWentBack = false } = reply;
    const signIn = { subject, version, deviceBound, counterWentBack };
    return { outcome: 'signed_in', ...signIn, ...(passkey !== undefined && { passkey }) };
  }
}

function refused({ reason, removed }: Rejection, subject: string | undefined): Verified {
  return { outcome: 'refused', reason, subject, ...(removed && { removed }) };
}
