import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import {
  beginInvitation,
  knownOrganizations,
  organizationProfile,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { eventually } from '@holdfast/testing';
import { AuthStub, GatewayStack, type Gateway } from '../gateway-stack.fixture.js';
import { sendRequest, type TestResponse } from '../http-client.fixture.js';

/** Requests that directory has received, and what its responses wait for. */
let received: number;
let hold: Promise<void>;

@Controller()
class HeldDirectory {
  @Handles(knownOrganizations)
  async known({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: shortIds };
  }

  @Handles(organizationProfile)
  async profile(): Promise<ReplyOf<typeof organizationProfile>> {
    return { shortId: 'acme', name: 'Acme' };
  }

  @Handles(beginInvitation)
  async begin(): Promise<ReplyOf<typeof beginInvitation>> {
    received += 1;
    await hold;
    return { options: {} };
  }
}
@Module({ controllers: [HeldDirectory] })
class HeldDirectoryModule {}

const pending = Symbol('pending');

let stack: GatewayStack;
let auth: AuthStub;
let gateway: Gateway;
/** Responds to one rejection a second. */
let pacing: Gateway;
let release: () => void;

beforeAll(async () => {
  stack = await GatewayStack.start({ directory: HeldDirectoryModule });
  auth = await new AuthStub().start();
  const limits = {
    AUTH_MAX_CONNECTIONS: '8',
    AUTH_MAX_REQUESTS_PER_ADDRESS: '4',
    AUTH_TIMEOUT_SECONDS: '60',
    BUS_MAX_REQUESTS_PER_SERVICE: '8',
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMITS: 'all=1000000',
    // A slow machine is not what these tests are about.
    MAX_BACKLOG_MS: '60000',
  };
  gateway = await stack.gateway([auth], limits);
  pacing = await stack.gateway([auth], { ...limits, HTTP_REJECTIONS_PER_SECOND: '1' });
});
afterAll(async () => {
  await stack?.stop();
  await auth?.stop();
});
beforeEach(() => {
  received = 0;
  auth.received.length = 0;
  hold = new Promise((resolve) => (release = resolve));
});

/** A token request of one of these networks. */
const requestToken = (network: number) =>
  sendRequest(
    gateway,
    'POST',
    '/oauth2/token',
    { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': `203.0.${network}.1` },
    'grant_type=client_credentials',
  );
const beginToAccept = (to = gateway) =>
  sendRequest(
    to,
    'POST',
    '/o/acme/api/invitation/options',
    { 'content-type': 'application/json' },
    JSON.stringify({ token: 'A'.repeat(43) }),
  );

/** Served (200) or rejected with Retry-After; anything else has failed. */
function outcomesOf(responses: TestResponse[]): { served: number; rejected: number; failed: TestResponse[] } {
  const isRejected = ({ status, headers }: TestResponse): boolean =>
    (status === 429 || status === 503) && headers['retry-after'] === '1';
  return {
    served: responses.filter(({ status }) => status === 200).length,
    rejected: responses.filter(isRejected).length,
    failed: responses.filter((response) => response.status !== 200 && !isRejected(response)),
  };
}

describe('a gateway that gets many times the requests that it may send', () => {
  it('serves those within the limits of auth, rejects the others before they reach it, and recovers', async () => {
    auth.hold = hold;
    // Of one network: no more than its share runs, and no more than its queue waits.
    const alone = Array.from({ length: 300 }, () => requestToken(1));
    await eventually(() => auth.received.length === 4);
    // Of many networks: the other half of the slots is theirs.
    const others = Array.from({ length: 100 }, (_, index) => requestToken(2 + (index % 50)));
    // Nothing ends, and still what waits is rejected in time.
    await eventually(async () => (await settled([...alone, ...others])).length === 400 - 8);
    expect(auth.received).toHaveLength(8);
    release();
    const outcomes = outcomesOf(await Promise.all([...alone, ...others]));
    expect(outcomes).toEqual({ served: 8, rejected: 392, failed: [] });
    expect(auth.received).toHaveLength(8);
    expect((await requestToken(1)).status).toBe(200);
  });

  it('serves those within the limit of a service, rejects the others unsent, and recovers', async () => {
    const requests = Array.from({ length: 100 }, () => beginToAccept());
    await eventually(async () => received >= 8 && (await settled(requests)).length >= 40);
    release();
    const { served, rejected, failed } = outcomesOf(await Promise.all(requests));
    expect(failed).toEqual([]);
    expect(rejected).toBeGreaterThanOrEqual(40);
    expect(served + rejected).toBe(100);
    // Those that were rejected were not sent.
    expect(received).toBeLessThanOrEqual(100 - 40 + 8);
    expect((await beginToAccept()).status).toBe(200);
  });

  it('responds to rejected requests at the permitted rate, and to others at once', async () => {
    // The ninth is rejected instead of being sent to directory; later ones are rejected before they are handled.
    const requests = Array.from({ length: 8 }, () => beginToAccept(pacing));
    await eventually(() => received === 8);
    requests.push(beginToAccept(pacing));
    expect(outcomesOf([await requests[8]!])).toEqual({ served: 0, rejected: 1, failed: [] });
    // From now on the limit is known before the request is handled.
    const beganAt = performance.now();
    const rejected = Array.from({ length: 4 }, () => beginToAccept(pacing));
    expect((await sendRequest(pacing, 'GET', '/healthz')).status).toBe(200);
    expect(outcomesOf(await Promise.all(rejected))).toEqual({ served: 0, rejected: 4, failed: [] });
    // One at once at most, and the fourth three seconds later. A slow machine takes longer.
    expect(performance.now() - beganAt).toBeGreaterThan(2900);
    release();
    await Promise.all(requests);
    expect((await beginToAccept(pacing)).status).toBe(200);
  });
});

/** The responses that have come by now. */
async function settled(requests: Promise<TestResponse>[]): Promise<TestResponse[]> {
  const now = new Promise<typeof pending>((resolve) => setImmediate(resolve, pending));
  const states = await Promise.all(requests.map((request) => Promise.race([request, now])));
  return states.filter((state) => state !== pending);
}
