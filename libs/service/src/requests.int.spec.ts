import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Inject, Module } from '@nestjs/common';
import { getSubject, platformKeys, withdrawOffer, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, connectBus, Handles, UncertainError } from '@holdfast/messaging';
import { AppError, createLogger, type Logger } from '@holdfast/platform';
import { eventually, startTestBus, testConfig, testContext, type TestBus } from '@holdfast/testing';
import { LOGGER } from './lifecycle.js';
import { startService, type RunningService } from './start-service.js';

const offers = {
  slow: '00000000-0000-4000-8000-000000000001',
  hung: '00000000-0000-4000-8000-000000000002',
  plain: '00000000-0000-4000-8000-000000000003',
  typed: '00000000-0000-4000-8000-000000000004',
  databaseError: '00000000-0000-4000-8000-000000000005',
  logs: '00000000-0000-4000-8000-000000000006',
};

let slowRequests = 0;

@Controller()
class WithdrawOffer {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  @Handles(withdrawOffer)
  async handle({ offerId }: RequestOf<typeof withdrawOffer>, { org }: RequestContext): Promise<Record<string, never>> {
    if (offerId === offers.slow) {
      slowRequests += 1;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    if (offerId === offers.hung) await new Promise((resolve) => setTimeout(resolve, 2000));
    if (offerId === offers.plain) throw new Error('the password is hunter2');
    if (offerId === offers.typed) throw new AppError('invalid_state', `the offer of ${org} is claimed`);
    if (offerId === offers.databaseError) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    if (offerId === offers.logs) this.logger.info('working');
    return {};
  }
}

@Module({ controllers: [WithdrawOffer] })
class Issuance {}

describe('requests over NATS', () => {
  let nats: TestBus;
  let caller: NatsConnection;
  let bus: Bus;
  let service: RunningService;
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) });

  const start = () =>
    startService({
      service: 'issuance',
      config: testConfig(nats, 'issuance'),
      module: Issuance,
      logger: createLogger('issuance', 'info', '1', sink),
    });

  beforeAll(async () => {
    nats = await startTestBus();
    caller = await connectBus(
      { url: nats.url, nkeySeed: nats.seed('gateway'), user: 'gateway' },
      createLogger('test', 'fatal'),
    );
    bus = new Bus(caller);
    service = await start();
  });
  afterAll(async () => {
    await service.stop();
    await caller.close();
    await nats.stop();
  });

  it('resolve to the reply', async () => {
    await expect(bus.request(withdrawOffer, { offerId: offers.logs }, testContext())).resolves.toEqual({});
  });

  it('reject with the AppError that the handler throws', async () => {
    const error = await failure(bus.request(withdrawOffer, { offerId: offers.typed }, testContext()));
    expect(error).toMatchObject({ code: 'invalid_state', status: 409, detail: 'the offer of acme is claimed' });
  });

  it('reject with `internal` for any other error, which is logged', async () => {
    const error = await failure(bus.request(withdrawOffer, { offerId: offers.plain }, testContext()));
    expect(error.toWire()).toEqual({
      code: 'internal',
      status: 500,
      origin: { dependency: 'issuance', cause: 'internal' },
    });
    expect(lines.join('')).toContain('hunter2');
  });

  it('reject with `unavailable` when the database is unavailable', async () => {
    expect(await failure(bus.request(withdrawOffer, { offerId: offers.databaseError }, testContext()))).toMatchObject({
      code: 'unavailable',
      retryAfter: 1,
      origin: { dependency: 'issuance/postgres', cause: 'unreachable' },
    });
  });

  it('reject with an issue for each member that violates the contract', async () => {
    const input = { offerId: 'x', surprise: 1 } as never;
    const error = await failure(bus.request(withdrawOffer, input, testContext()));
    expect(error).toMatchObject({ code: 'invalid_request', status: 422 });
    expect(error.errors?.map((e) => e.pointer)).toEqual(['#/offerId', '#/surprise']);
  });

  it.each(['plain', 'databaseError'] as const)(
    'have an uncertain result when the handler of a command failed (%s), since it may have committed',
    async (how) => {
      expect(await failure(bus.request(withdrawOffer, { offerId: offers[how] }, testContext()))).toBeInstanceOf(
        UncertainError,
      );
      const query = { ...withdrawOffer, kind: 'query' } as const;
      expect(await failure(bus.request(query, { offerId: offers[how] }, testContext()))).not.toBeInstanceOf(
        UncertainError,
      );
    },
  );

  it('have a certain result when the handler of a command throws an AppError', async () => {
    expect(await failure(bus.request(withdrawOffer, { offerId: offers.typed }, testContext()))).not.toBeInstanceOf(
      UncertainError,
    );
  });

  it('reject after the timeout with an uncertain result', async () => {
    const error = await failure(
      bus.request({ ...withdrawOffer, timeoutMs: 300 }, { offerId: offers.hung }, testContext()),
    );
    expect(error).toBeInstanceOf(UncertainError);
    expect(error).toMatchObject({ code: 'unavailable', origin: { dependency: 'issuance', cause: 'timeout' } });
  });

  it('are not handled when their caller no longer waits', async () => {
    const send = (transit: object) =>
      caller.request(
        withdrawOffer.subject,
        JSON.stringify({
          pattern: withdrawOffer.subject,
          id: randomUUID(),
          transit,
          data: { input: { offerId: offers.logs }, context: testContext() },
        }),
        { timeout: 30_000 },
      );
    const responses = [];
    for (const agoMs of [0, 10_000])
      responses.push(
        (await send({ sender: 'a', sentAtMs: Date.now() - agoMs, timeoutMs: 5000 })).json<{
          err?: { origin?: object };
        }>(),
      );
    expect(responses.map(({ err }) => err?.origin)).toEqual([undefined, { dependency: 'admission', cause: 'expired' }]);
  });

  it('reject when the service is not running', async () => {
    for (const contract of [getSubject, platformKeys] as const) {
      const error = await failure(bus.request(contract, { subject: offers.slow }, testContext()));
      expect(error).toMatchObject({
        code: 'unavailable',
        origin: { dependency: contract.service, cause: 'not_running' },
      });
      expect(error).not.toBeInstanceOf(UncertainError);
    }
  });

  it('add request id, organization and actor to log lines', async () => {
    const context = testContext({ request: { id: 'req-42' } });
    await bus.request(withdrawOffer, { offerId: offers.logs }, context);
    const line = lines.map((l) => JSON.parse(l) as Record<string, unknown>).find((l) => l.requestId === 'req-42');
    expect(line).toMatchObject({ msg: 'working', org: 'acme', actor: 'app-1' });
  });

  it('are completed when the service stops, and rejected afterwards', async () => {
    const running = bus.request(withdrawOffer, { offerId: offers.slow }, testContext());
    await eventually(() => slowRequests === 1);
    await service.stop();
    await expect(running).resolves.toEqual({});
    expect((await failure(bus.request(withdrawOffer, { offerId: offers.logs }, testContext()))).code).toBe(
      'unavailable',
    );
    service = await start();
    await expect(bus.request(withdrawOffer, { offerId: offers.logs }, testContext())).resolves.toEqual({});
  });

  it('reach a service that is absent for a moment, once', async () => {
    await service.stop();
    const options = { url: nats.url, nkeySeed: nats.seed('issuance'), user: 'issuance' } as const;
    const replica = await connectBus(options, createLogger('test', 'fatal'));
    const request = bus.request(withdrawOffer, { offerId: offers.logs }, testContext());
    await new Promise((resolve) => setTimeout(resolve, 20));
    let received = 0;
    replica.subscribe(withdrawOffer.subject, {
      queue: 'issuance',
      callback: (_, message) => {
        received += 1;
        const { id } = message.json<{ id: string }>();
        message.respond(JSON.stringify({ id, response: {} }));
      },
    });
    await expect(request).resolves.toEqual({});
    expect(received).toBe(1);
    await replica.close();
    service = await start();
  });

  it('all succeed while one of two replicas stops', async () => {
    const second = await start();
    let stopped = false;
    const sendUntilStopped = async () => {
      let count = 0;
      for (; !stopped; count += 1) await bus.request(withdrawOffer, { offerId: offers.logs }, testContext());
      return count;
    };
    const callers = Promise.all(Array.from({ length: 8 }, sendUntilStopped));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await second.stop();
    stopped = true;
    expect((await callers).reduce((a, b) => a + b)).toBeGreaterThan(0);
  });
});

async function failure(request: Promise<unknown>): Promise<AppError> {
  const error = await request.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}
