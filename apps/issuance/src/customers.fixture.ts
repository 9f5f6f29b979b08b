import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import {
  beginClaim,
  beginSignIn,
  completeClaim,
  completeSignIn,
  createOffer,
  customerStatus,
  getClaim,
  type CustomerEvent,
  type Offer,
  type OfferRequest,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { FakeClock, SoftwareAuthenticator, testContext, type CeremonyOptions } from '@holdfast/testing';
import { IssuanceStack, type IssuanceStackOptions } from './issuance-stack.fixture.js';

export const origin = 'http://localhost:8080';
/** Hash of the secret of the browser in which claims run. */
const browser = 'b'.repeat(43);

export const anonymous = (org = 'acme') => testContext({ org, actor: { type: 'anonymous', id: 'anonymous' } });
export const errorWith = (code: string, detail?: string) =>
  expect.objectContaining({ code, ...(detail && { detail: expect.stringContaining(detail) }) });
/** The codes with which some of the requests were rejected. */
export const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as { code: string }).code] : []));

export interface TestCustomer extends Offer {
  token: string;
  authenticator: SoftwareAuthenticator;
}

type Response = RequestOf<typeof completeClaim>['response'];
type Ceremony = Partial<CeremonyOptions>;

/** Customers of an organization with their devices, in a stack. */
export class TestCustomers {
  constructor(
    private readonly stack: IssuanceStack,
    private readonly org = 'acme',
  ) {}

  async offer(
    body: OfferRequest = {},
    context: RequestContext = testContext({ org: this.org }),
  ): Promise<Offer & { token: string }> {
    const { offer } = await this.stack.gateway.request(createOffer, { offer: body }, context);
    return { ...offer, token: offer.claimUrl.split('#')[1]! };
  }

  getClaim(token: string): Promise<ReplyOf<typeof getClaim>> {
    return this.stack.gateway.request(getClaim, { token }, this.anonymous());
  }

  async beginClaim(token: string): Promise<object> {
    const begun = { token, organizationName: 'Acme', browser };
    return (await this.stack.gateway.request(beginClaim, begun, this.anonymous())).options;
  }

  /** Begins a claim and creates the passkey. `complete` sends the response. */
  async register(token: string, authenticator = new SoftwareAuthenticator(), ceremony: Ceremony = {}) {
    return authenticator.register(await this.beginClaim(token), { origin, ...ceremony });
  }

  complete(
    token: string,
    response: Response,
    inBrowser: { browser?: string } = { browser },
  ): Promise<ReplyOf<typeof completeClaim>> {
    return this.stack.gateway.request(completeClaim, { token, response, ...inBrowser }, this.anonymous());
  }

  async claim(token: string, authenticator?: SoftwareAuthenticator, ceremony?: Ceremony) {
    return this.complete(token, await this.register(token, authenticator, ceremony));
  }

  /** A customer who has claimed an offer. */
  async new(
    body: OfferRequest = {},
    authenticator = new SoftwareAuthenticator({ synced: true }),
  ): Promise<TestCustomer> {
    const offer = await this.offer(body);
    await this.claim(offer.token, authenticator);
    return { ...offer, authenticator };
  }

  /** Begins a sign-in and signs its challenge. `finish` sends the response. */
  async authenticate(authenticator: SoftwareAuthenticator, interaction = 'i1', ceremony: Ceremony = {}) {
    const { options } = await this.stack.auth.request(beginSignIn, { interaction }, this.anonymous());
    return authenticator.authenticate(options, { origin, ...ceremony });
  }

  finish(response: Response, credentialType?: string, interaction = 'i1'): Promise<ReplyOf<typeof completeSignIn>> {
    const type = credentialType === undefined ? {} : { credentialType };
    return this.stack.auth.request(completeSignIn, { interaction, response, ...type }, this.anonymous());
  }

  async signIn(
    { authenticator, credentialType }: Pick<TestCustomer, 'authenticator'> & { credentialType?: string },
    ceremony: Ceremony = {},
  ): Promise<ReplyOf<typeof completeSignIn>> {
    return this.finish(await this.authenticate(authenticator, 'i1', ceremony), credentialType);
  }

  status(subject: string, credentialType?: string): Promise<ReplyOf<typeof customerStatus>> {
    const type = credentialType === undefined ? {} : { credentialType };
    return this.stack.auth.request(customerStatus, { subject, ...type }, this.anonymous());
  }

  /** In the order of their versions. */
  eventsOf(subject: string): CustomerEvent[] {
    return this.stack.received
      .filter((e): e is CustomerEvent => 'subject' in e && e.subject === subject)
      .sort((a, b) => a.version - b.version);
  }

  typesOf(subject: string): CustomerEvent['type'][] {
    return this.eventsOf(subject).map(({ type }) => type);
  }

  private anonymous(): RequestContext {
    return anonymous(this.org);
  }
}

/** The time at the beginning of each test. */
export const start = '2026-11-21T09:00:00.000Z';
export const clock = new FakeClock(start);
export let stack: IssuanceStack;
export let customers: TestCustomers;
export let globex: TestCustomers;

/** Starts issuance, at the time of `clock`, before the tests of a file. `prepare` runs once, before the first test. */
export function withIssuance(
  options: Omit<IssuanceStackOptions, 'clock'> = {},
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): void {
  beforeAll(async () => {
    stack = await IssuanceStack.start({ ...options, clock });
    customers = new TestCustomers(stack);
    globex = new TestCustomers(stack, 'globex');
    await prepare();
  });
  afterAll(() => stack?.stop());
  beforeEach(() => clock.set(start));
}
