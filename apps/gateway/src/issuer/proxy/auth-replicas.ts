import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import type { Logger } from '@holdfast/platform';
import { CONFIG, Interval, LOGGER } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { AuthReplica, NotStartedError, type AuthResponse, type AuthRequest } from './auth-replica.js';

const probeIntervalMs = 1000;
const probeTimeoutMs = 1000;
/**
 * Requests that may try a replica which is down, when no other is up: they find out that it is back before a probe
 * does.
 */
const maxConcurrentTrials = 4;

const up = new Gauge({
  name: 'holdfast_auth_replica_up',
  help: 'Whether this gateway sends requests to a replica of auth: 1, or 0 when it does not',
  labelNames: ['replica'],
});
const ejections = new Counter({
  name: 'holdfast_auth_ejections_total',
  help: 'Times that a replica of auth was left out',
  labelNames: ['replica', 'state'],
});
const retries = new Counter({
  name: 'holdfast_auth_retries_total',
  help: 'Requests that were sent to a second replica of auth, since the first had not begun them',
});

/** The replicas of auth: who is asked, who is left out for now, and when a request moves on to another. */
@Injectable()
export class AuthReplicas implements OnApplicationShutdown {
  private readonly replicas: AuthReplica[];
  private turn = 0;

  constructor(
    @Inject(CONFIG) { AUTH_URLS, AUTH_MAX_CONNECTIONS, AUTH_TIMEOUT_SECONDS }: GatewayConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    const changed = ({ url, state }: AuthReplica, why: string): void => {
      up.set({ replica: url }, state === 'up' ? 1 : 0);
      if (state === 'up') return logger.info({ upstream: url, why }, 'requests go to this replica of auth again');
      ejections.inc({ replica: url, state });
      logger.warn({ upstream: url, state, why }, 'no requests go to this replica of auth while another is up');
    };
    this.replicas = AUTH_URLS.map(
      (url) =>
        new AuthReplica(url, { connections: AUTH_MAX_CONNECTIONS, timeoutMs: AUTH_TIMEOUT_SECONDS * 1000 }, changed),
    );
    for (const { url } of this.replicas) up.set({ replica: url }, 1);
  }

  @Interval({ name: 'auth_probes', intervalMs: probeIntervalMs, failure: 'Failed to probe the replicas of auth' })
  async probe(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.probe(probeTimeoutMs)));
  }

  /** @throws NotStartedError when no replica took it; anything else when one may have acted on it */
  async send(request: AuthRequest): Promise<AuthResponse> {
    const first = this.choose();
    if (!first) throw new NotStartedError('no replica is up');
    try {
      return await first.send(request);
    } catch (error) {
      // Of a single address there may be several behind it.
      const second =
        error instanceof NotStartedError
          ? (this.choose(first) ?? (this.replicas.length === 1 ? first : undefined))
          : undefined;
      if (!second) throw error;
      retries.inc();
      return second.send(request);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  /** The one with the least under way, so that one which slows down gets less; each in its turn when they are equal. */
  private choose(except?: AuthReplica): AuthReplica | undefined {
    this.turn += 1;
    const { length } = this.replicas;
    const others = this.replicas
      .map((_, i) => this.replicas[(i + this.turn) % length]!)
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
