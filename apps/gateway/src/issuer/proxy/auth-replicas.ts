import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import type { Logger } from '@holdfast/platform';
import { CONFIG, Interval, LOGGER } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { AuthReplica, NotStartedError, type AuthRequest, type AuthResponse } from './auth-replica.js';

const probeIntervalMs = 1000;
const probeTimeoutMs = 1000;
/**
 * Concurrent requests to a replica that is down, while no other is up: they may find that it is back before a probe.
 */
const maxConcurrentTrials = 4;

const up = new Gauge({
  name: 'holdfast_auth_replica_up',
  help: 'Whether this gateway sends requests to a replica of auth: 1 or 0',
  labelNames: ['replica'],
});
const ejections = new Counter({
  name: 'holdfast_auth_ejections_total',
  help: 'Times that a replica of auth stopped getting requests, by its new state',
  labelNames: ['replica', 'state'],
});
const retries = new Counter({
  name: 'holdfast_auth_retries_total',
  help: 'Requests that were sent to a second replica of auth because the first had not started them',
});

/** Chooses the replica of auth for each request, and sends a request that was not started to another replica. */
@Injectable()
export class AuthReplicas implements OnApplicationShutdown {
  private readonly replicas: AuthReplica[];
  private roundRobin = 0;

  constructor(
    @Inject(CONFIG) { AUTH_URLS, AUTH_MAX_CONNECTIONS, AUTH_TIMEOUT_SECONDS }: GatewayConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    const onChange = ({ url, state }: AuthReplica, reason: string): void => {
      up.set({ replica: url }, state === 'up' ? 1 : 0);
      if (state === 'up') return logger.info({ upstream: url, reason }, 'This replica of auth gets requests again');
      ejections.inc({ replica: url, state });
      logger.warn({ upstream: url, state, reason }, 'This replica of auth gets no requests while another one is up');
    };
    this.replicas = AUTH_URLS.map(
      (url) =>
        new AuthReplica(url, { connections: AUTH_MAX_CONNECTIONS, timeoutMs: AUTH_TIMEOUT_SECONDS * 1000 }, onChange),
    );
    for (const { url } of this.replicas) up.set({ replica: url }, 1);
  }

  @Interval({ name: 'auth_probes', intervalMs: probeIntervalMs, failure: 'Failed to probe the replicas of auth' })
  async probe(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.probe(probeTimeoutMs)));
  }

  /** @throws NotStartedError when no replica has started it; any other error when one may have handled it */
  async send(request: AuthRequest): Promise<AuthResponse> {
    const first = this.selectReplica();
    if (!first) throw new NotStartedError('no replica is up');
    try {
      return await first.send(request);
    } catch (error) {
      // A single URL may have several replicas behind it, so it gets the second attempt too.
      const second =
        error instanceof NotStartedError
          ? (this.selectReplica(first) ?? (this.replicas.length === 1 ? first : undefined))
          : undefined;
      if (!second) throw error;
      retries.inc();
      return second.send(request);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  /** The least loaded replica, so that one that slows down gets fewer requests; equally loaded ones take turns. */
  private selectReplica(except?: AuthReplica): AuthReplica | undefined {
    this.roundRobin += 1;
    const { length } = this.replicas;
    const others = this.replicas
      .map((_, i) => this.replicas[(i + this.roundRobin) % length]!)
      .filter((replica) => replica !== except);
    for (const state of ['up', 'unready'] as const) {
      const found = leastLoaded(others.filter((replica) => replica.state === state));
      if (found) return found;
    }
    return leastLoaded(others.filter((replica) => replica.load < maxConcurrentTrials));
  }
}

function leastLoaded(replicas: AuthReplica[]): AuthReplica | undefined {
  return replicas.reduce<AuthReplica | undefined>(
    (least, replica) => (least && least.load <= replica.load ? least : replica),
    undefined,
  );
}
