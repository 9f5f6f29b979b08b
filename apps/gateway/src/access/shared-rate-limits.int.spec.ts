import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SharedRateLimits } from '@holdfast/access';
import { rateLimitSubject } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { AuthStub, GatewayStack, type Gateway } from '../gateway-stack.fixture.js';
import { sendRequest } from '../http-client.fixture.js';

const perMinute = 600;

let stack: GatewayStack;
let auth: AuthStub;
let gateways: Gateway[];
/** Each test is another caller. */
let address = '';
let addresses = 0;

const limitsOf = ({ service }: Gateway) => service.app.get(SharedRateLimits, { strict: false });
const replicasSeenBy = (all: Gateway[]) => all.map((gateway) => limitsOf(gateway).replicaCount);
const startGateway = () =>
  stack.gateway([auth], { RATE_LIMITS: `unmatched=${perMinute}`, TRUSTED_PROXIES: '127.0.0.1' });

/** What the caller got since its first request. */
class Usage {
  private readonly startedAtMs = performance.now();
  admitted = 0;

  /** Sends this many requests at once; `replicaOf` says where each of them arrives. */
  async send(count: number, replicaOf: (i: number) => number): Promise<void> {
    const headers = { 'x-forwarded-for': address };
    const responses = await Promise.all(
      Array.from({ length: count }, (_, i) => sendRequest(gateways[replicaOf(i)]!, 'GET', '/no/route', headers)),
    );
    this.admitted += responses.filter(({ status }) => status === 404).length;
    expect(responses.filter(({ status }) => status !== 404 && status !== 429)).toEqual([]);
  }

  /** The quota, its refill since the first request, and one request of each replica. */
  expectWithin(quota = perMinute): void {
    const refill = ((performance.now() - this.startedAtMs) / 60_000) * perMinute;
    expect(this.admitted).toBeLessThanOrEqual(quota + refill + gateways.length);
  }
}

beforeAll(async () => {
  [stack, auth] = [await GatewayStack.start(), await new AuthStub().start()];
  gateways = [await startGateway(), await startGateway(), await startGateway()];
  await eventually(() => expect(replicasSeenBy(gateways)).toEqual([3, 3, 3]));
});
afterAll(async () => {
  await stack.stop();
  await auth.stop();
});
beforeEach(() => void (address = `192.0.2.${(addresses += 1)}`));

describe('the quota of a caller at three gateways', () => {
  it.each([
    ['all at one of them', () => 1],
    ['evenly at all of them', (i: number) => i % 3],
    ['mostly at one and sometimes at another', (i: number) => (i % 10 === 0 ? 2 : 0)],
  ])('is admitted in full and no more, with requests in parallel, %s', async (_, replicaOf) => {
    const usage = new Usage();
    await eventually(async () => {
      await usage.send(60, replicaOf);
      expect(usage.admitted).toBeGreaterThanOrEqual(0.9 * perMinute);
    });
    for (let i = 0; i < 5; i += 1) await usage.send(60, replicaOf);
    usage.expectWithin();
  });

  it('is available at another gateway after the requests have moved there', async () => {
    const usage = new Usage();
    for (let i = 0; i < 5; i += 1) await usage.send(60, () => 0);
    await eventually(async () => {
      await usage.send(60, () => 1);
      expect(usage.admitted).toBeGreaterThanOrEqual(0.9 * perMinute);
    });
    usage.expectWithin();
  });

  it('is not exceeded while NATS does not respond: each gateway admits its third of it', async () => {
    stack.nats.pause(true);
    try {
      const usage = new Usage();
      for (let replica = 0; replica < 3; replica += 1) {
        const before = usage.admitted;
        for (let i = 0; i < 5; i += 1) await usage.send(60, () => replica);
        expect(usage.admitted - before).toBeGreaterThanOrEqual(perMinute / 3);
      }
      usage.expectWithin();
      expect(replicasSeenBy(gateways)).toEqual([3, 3, 3]);
    } finally {
      stack.nats.pause(false);
    }
  });

  it('is not exceeded while NATS is stopped, and shared again afterwards', async () => {
    await stack.nats.kill();
    const usage = new Usage();
    for (let i = 0; i < 12; i += 1) await usage.send(60, (n) => n % 3);
    expect(usage.admitted).toBeGreaterThanOrEqual(0.9 * perMinute);
    usage.expectWithin();
    expect(replicasSeenBy(gateways)).toEqual([3, 3, 3]);
    await stack.nats.restart();
    address = '198.51.100.1';
    const afterwards = new Usage();
    await eventually(async () => {
      await afterwards.send(60, () => 2);
      expect(afterwards.admitted).toBeGreaterThanOrEqual(0.9 * perMinute);
    });
    afterwards.expectWithin();
  });

  it('does not change with messages that are no messages of a gateway', async () => {
    const { connection } = gateways[0]!.service;
    for (const body of ['', '{}', '{"replica":"a.b","sent":1,"requests":[]}', '{"replica":"12345678","sent":1}'])
      connection.publish(rateLimitSubject('gateway'), body);
    await connection.flush();
    expect(replicasSeenBy(gateways)).toEqual([3, 3, 3]);
  });

  it('is available in full at the others after one was killed', async () => {
    // Without its connection it says nothing more, not even that it leaves.
    await gateways.pop()!.service.connection.close();
    await eventually(() => expect(replicasSeenBy(gateways)).toEqual([2, 2]));
    const usage = new Usage();
    await eventually(async () => {
      await usage.send(60, (i) => i % 2);
      expect(usage.admitted).toBeGreaterThanOrEqual(0.9 * perMinute);
    });
    usage.expectWithin();
  });

  it('is divided among one more at once when it starts, and among the others again when it stops', async () => {
    const third = await startGateway();
    await eventually(() => expect(replicasSeenBy([...gateways, third])).toEqual([3, 3, 3]));
    await third.service.stop();
    await eventually(() => expect(replicasSeenBy(gateways)).toEqual([2, 2]));
  });
});
