import { readFileSync } from 'node:fs';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { observeCertificates, type Logger } from '@holdfast/platform';
import { CONFIG, Interval, LOGGER } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import {
  AuthReplica,
  NotStartedError,
  type AuthRequest,
  type AuthResponse,
  type ReplicaOptions,
  type ReplicaTls,
} from './auth-replica.js';
import { replicasBehind, type ReplicaAddress } from './replica-urls.js';

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
export class AuthReplicas implements OnModuleInit, OnApplicationShutdown {
  private replicas: AuthReplica[] = [];
  private readonly urls: string[];
  private readonly options: ReplicaOptions;
  private roundRobin = 0;
  private lookupFails = false;

  constructor(
    @Inject(CONFIG) config: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.urls = config.AUTH_URLS;
    this.options = {
      connections: config.AUTH_MAX_CONNECTIONS,
      timeoutMs: config.AUTH_TIMEOUT_SECONDS * 1000,
      tls: () => tlsOf(config),
    };
  }

  /** How many replicas are known. */
  get count(): number {
    return this.replicas.length;
  }

  onModuleInit(): Promise<void> {
    return this.discover();
  }

  /** Adds replicas whose addresses are new, and closes those whose addresses are gone, once they have responded. */
  @Interval({ name: 'auth_discovery', intervalMs: probeIntervalMs, failure: 'Failed to look up the replicas of auth' })
  async discover(): Promise<void> {
    const results = await Promise.allSettled(this.urls.map((url) => replicasBehind(url)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed && !this.lookupFails)
      this.logger.warn(
        { err: failed.reason as unknown },
        'The name of auth cannot be resolved; its known replicas stay',
      );
    this.lookupFails = failed !== undefined;
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const known = new Set(this.replicas.map((replica) => replica.url));
    const added = found.filter(({ url }) => !known.has(url)).map((address) => this.newReplica(address));
    const addresses = new Set(found.map(({ url }) => url));
    // While a name does not resolve, its replicas may still be there.
    const gone = failed ? [] : this.replicas.filter((replica) => !addresses.has(replica.url));
    if (added.length === 0 && gone.length === 0) return;
    this.replicas = [...this.replicas.filter((replica) => !gone.includes(replica)), ...added];
    for (const replica of gone) {
      up.remove({ replica: replica.url });
      void replica.close().catch((err: unknown) => this.logger.debug({ err }, 'Failed to close connections to auth'));
    }
  }

  private newReplica(address: ReplicaAddress): AuthReplica {
    const onChange = ({ url, state }: AuthReplica, reason: string): void => {
      // One whose address is gone.
      if (!this.replicas.some((replica) => replica.url === url)) return;
      up.set({ replica: url }, state === 'up' ? 1 : 0);
      if (state === 'up')
        return this.logger.info({ upstream: url, reason }, 'This replica of auth gets requests again');
      ejections.inc({ replica: url, state });
      this.logger.warn(
        { upstream: url, state, reason },
        'This replica of auth gets no requests while another one is up',
      );
    };
    up.set({ replica: address.url }, 1);
    return new AuthReplica(address, this.options, onChange);
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

function tlsOf({ AUTH_CA_FILE, AUTH_CERT_FILE, AUTH_KEY_FILE }: GatewayConfig): ReplicaTls {
  const read = (path: string): string => readFileSync(path, 'utf8');
  const cert = AUTH_CERT_FILE === undefined ? undefined : read(AUTH_CERT_FILE);
  if (cert !== undefined) observeCertificates('auth_client', cert);
  return {
    ...(AUTH_CA_FILE !== undefined && { ca: read(AUTH_CA_FILE) }),
    ...(cert !== undefined && { cert }),
    ...(AUTH_KEY_FILE !== undefined && { key: read(AUTH_KEY_FILE) }),
  };
}

function leastLoaded(replicas: AuthReplica[]): AuthReplica | undefined {
  return replicas.reduce<AuthReplica | undefined>(
    (least, replica) => (least && least.load <= replica.load ? least : replica),
    undefined,
  );
}
