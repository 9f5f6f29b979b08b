import {
  beginClaim,
  beginSignIn,
  completeClaim,
  completeSignIn,
  createOffer,
  type CustomerEvent,
  type Offer,
  type OfferRequest,
  type ReplyOf,
  type RequestContext,
} from '@holdfast/contracts';
import { SoftwareAuthenticator, testContext } from '@holdfast/testing';
import type { IssuanceStack } from './issuance-stack.fixture.js';

const origin = 'http://localhost:8080';
const anonymous = () => testContext({ actor: { type: 'anonymous', id: 'anonymous' } });

export interface TestCustomer extends Offer {
  authenticator: SoftwareAuthenticator;
}

/** Customers of `acme` with their devices, at a stack. */
export class TestCustomers {
  constructor(private readonly stack: IssuanceStack) {}

  async offer(body: OfferRequest = {}, context: RequestContext = testContext()): Promise<Offer & { token: string }> {
    const { offer } = await this.stack.gateway.request(createOffer, { offer: body }, context);
    return { ...offer, token: offer.claimUrl.split('#')[1]! };
  }

  /** What a device answers when it is asked to make a passkey; the claim itself is `complete`. */
  async register(token: string, authenticator: SoftwareAuthenticator): Promise<Record<string, unknown>> {
    const { options } = await this.stack.gateway.request(beginClaim, { token, organizationName: 'Acme' }, anonymous());
    return authenticator.register(options, { origin });
  }

  complete(token: string, response: Record<string, unknown>): Promise<ReplyOf<typeof completeClaim>> {
    return this.stack.gateway.request(completeClaim, { token, response }, anonymous());
  }

  async claim(token: string, authenticator: SoftwareAuthenticator): Promise<void> {
    await this.complete(token, await this.register(token, authenticator));
  }

  async new(
    body: OfferRequest = {},
    authenticator = new SoftwareAuthenticator({ synced: true }),
  ): Promise<TestCustomer> {
    const offer = await this.offer(body);
    await this.claim(offer.token, authenticator);
    return { ...offer, authenticator };
  }

  /** What a device answers when it is asked to sign in. */
  async authenticate(authenticator: SoftwareAuthenticator, interaction = 'i1'): Promise<Record<string, unknown>> {
    const { options } = await this.stack.auth.request(beginSignIn, { interaction }, anonymous());
    return authenticator.authenticate(options, { origin });
  }

  finish(
    response: Record<string, unknown>,
    credentialType: string,
    interaction = 'i1',
  ): Promise<ReplyOf<typeof completeSignIn>> {
    return this.stack.auth.request(completeSignIn, { interaction, credentialType, response }, anonymous());
  }

  async signIn({
    authenticator,
    credentialType,
  }: Pick<TestCustomer, 'authenticator' | 'credentialType'>): Promise<ReplyOf<typeof completeSignIn>> {
    return this.finish(await this.authenticate(authenticator), credentialType);
  }

  /** In the order of their versions. */
  eventsOf(subject: string): CustomerEvent[] {
    return this.stack.received
      .filter((e): e is CustomerEvent => 'subject' in e && e.subject === subject)
      .sort((a, b) => a.version - b.version);
  }
}
