import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RateLimiter } from '@holdfast/platform';
import { SharedRateLimits } from './shared-rate-limits.js';

const exchangeMs = 250;

/** Replicas with one clock, whose messages a test delivers, loses or holds back. */
class Replicas {
  now = 0;
  sentRequests = 0;
  readonly running: { limits: SharedRateLimits; limiter: RateLimiter }[] = [];

  constructor(
    count: number,
    private readonly perMinute: number,
    maxKeys = 10,
  ) {
    for (let i = 0; i < count; i += 1) this.add(maxKeys);
    // Before they serve, they know each other.
    for (let i = 0; i < 3; i += 1) this.exchange();
  }

  add(maxKeys: number): void {
    const limits = new SharedRateLimits();
    this.running.push({ limits, limiter: limits.limiter('read', this.perMinute, { now: () => this.now, maxKeys }) });
  }

  /** One message of each replica; `loses` decides about each delivery. */
  exchange(loses: () => boolean = () => false): void {
    for (const { limits } of [...this.running]) {
      const message = limits.nextMessage();
      this.sentRequests += message.requests.length;
      limits.receive(message);
      for (const { limits: other } of this.running) {
        if (other === limits || loses()) continue;
        const grants = other.receive(message);
        if (grants.length > 0 && !loses()) limits.receiveGrants(grants);
      }
    }
  }

  /** Requests at a replica until it denies one, `max` at most. @returns how many were admitted */
  drain(replica: number, max = Infinity): number {
    let admitted = 0;
    while (admitted < max && this.running[replica]!.limiter.take('app').allowed) admitted += 1;
    return admitted;
  }
}

const replicaCount = fc.integer({ min: 1, max: 6 });
const quota = fc.integer({ min: 1, max: 120 });

describe('rate limits that several replicas share', () => {
  it('never admit more than the quota and its refill, wherever requests arrive and whichever messages are lost', () => {
    fc.assert(
      fc.property(
        replicaCount,
        quota,
        fc.array(
          fc.record({
            replica: fc.nat(5),
            requests: fc.nat(150),
            pauseMs: fc.nat(5000),
            lost: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
          }),
          { maxLength: 30 },
        ),
        (count, perMinute, steps) => {
          const replicas = new Replicas(count, perMinute);
          let admitted = 0;
          for (const [i, { replica, requests, pauseMs, lost }] of steps.entries()) {
            admitted += replicas.drain(replica % count, requests);
            let delivery = 0;
            // A replica of which four messages in a row are lost has ended, as far as the others know.
            const loses = () => i % 3 !== 2 && lost[(delivery += 1) % lost.length]!;
            replicas.exchange(loses);
            replicas.now += pauseMs;
          }
          // A share of less than one request is rounded up to one.
          const burst = Math.max(perMinute, count);
          expect(admitted).toBeLessThanOrEqual(burst + (replicas.now / 60_000) * perMinute + 1e-6);
        },
      ),
    );
  });

  it('admit at least 90 % of the quota within two seconds, if all requests arrive at one replica', () => {
    fc.assert(
      fc.property(replicaCount, fc.integer({ min: 60, max: 6000 }), (count, perMinute) => {
        const replicas = new Replicas(count, perMinute);
        let admitted = 0;
        for (; replicas.now <= 2000; replicas.now += exchangeMs) {
          admitted += replicas.drain(0);
          replicas.exchange();
        }
        expect(admitted).toBeGreaterThanOrEqual(0.9 * perMinute);
      }),
    );
  });

  it('admit the quota’s rate within a second after all requests have moved to another replica', () => {
    const replicas = new Replicas(3, 6000);
    const usedOver = (replica: number, durationMs: number): number => {
      let admitted = 0;
      for (const end = replicas.now + durationMs; replicas.now < end; replicas.now += exchangeMs) {
        admitted += replicas.drain(replica);
        replicas.exchange();
      }
      return admitted;
    };
    usedOver(0, 60_000);
    expect(usedOver(0, 10_000)).toBeGreaterThan(900);
    usedOver(1, 1000);
    const moved = usedOver(1, 10_000);
    expect(moved).toBeGreaterThan(900);
    expect(moved).toBeLessThanOrEqual(1000 + 100);
  });

  it('send nothing about a caller who uses less than half of a replica’s share', () => {
    const replicas = new Replicas(3, 600, 1000);
    for (let address = 0; address < 1000; address += 1) {
      for (let i = 0; i < 100; i += 1) replicas.running[0]!.limiter.take(`192.0.2.${address}`);
    }
    replicas.exchange();
    expect(replicas.sentRequests).toBe(0);
    replicas.running[0]!.limiter.take('192.0.2.1');
    replicas.exchange();
    expect(replicas.sentRequests).toBe(1);
  });

  it('send a limited number of requests, however many callers run short', () => {
    const replicas = new Replicas(2, 4, 5000);
    for (let address = 0; address < 5000; address += 1)
      for (let i = 0; i < 2; i += 1) replicas.running[0]!.limiter.take(`key ${address}`);
    replicas.exchange();
    expect(replicas.sentRequests).toBe(64);
  });

  it('admit a share of the quota at each replica while messages are lost: no more, and not nothing', () => {
    const replicas = new Replicas(3, 600);
    replicas.drain(0);
    replicas.exchange(() => true);
    const admitted = [0, 1, 2].map((replica) => replicas.drain(replica));
    expect(admitted).toEqual([0, 200, 200]);
    for (let i = 0; i < 240; i += 1) {
      replicas.now += exchangeMs;
      // Not even the own messages come back.
      for (const { limits } of replicas.running) limits.nextMessage();
    }
    expect([0, 1, 2].map((replica) => replicas.drain(replica))).toEqual([200, 200, 200]);
  });

  it('lose the share of a replica that ended for a minute, and divide the rate among the others at once', () => {
    const replicas = new Replicas(3, 600);
    for (let i = 0; i < 3; i += 1) replicas.drain(i);
    replicas.running.pop();
    for (let i = 0; i < 4; i += 1) replicas.exchange();
    expect(replicas.running.map(({ limits }) => limits.replicaCount)).toEqual([2, 2]);
    replicas.now += 60_000;
    expect(replicas.drain(0) + replicas.drain(1)).toBe(600);
  });

  it('decide as one limiter alone while there is one replica', () => {
    const replicas = new Replicas(1, 600);
    expect(replicas.drain(0)).toBe(600);
    replicas.exchange();
    expect(replicas.sentRequests).toBe(0);
  });

  it('know that a replica is alone once the others had the time to announce themselves, until one does', () => {
    const started = new SharedRateLimits();
    expect(started.isAlone).toBe(false);
    const replicas = new Replicas(1, 600);
    const { limits } = replicas.running[0]!;
    expect(limits.isAlone).toBe(true);
    limits.receive(started.nextMessage());
    expect(limits.isAlone).toBe(false);
    limits.receive(started.leavingMessage());
    expect(limits.isAlone).toBe(true);
  });

  it('tell the caller the quota of all replicas, and what is left of it if the others have as much as this one', () => {
    const replicas = new Replicas(3, 600);
    const { limiter } = replicas.running[0]!;
    expect(limiter.headersOf(limiter.take('app'))).toEqual({
      'ratelimit-policy': '"read";q=600;w=60',
      ratelimit: '"read";r=597;t=1',
    });
    while (limiter.take('app').allowed);
    replicas.now = 150;
    expect(limiter.headersOf(limiter.take('app'))).toMatchObject({ ratelimit: '"read";r=0;t=1', 'retry-after': '1' });
  });
});
