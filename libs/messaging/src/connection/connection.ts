import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import {
  connect,
  PermissionViolationError,
  type ConnectionOptions,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';
import {
  inboxOwner,
  inboxPrefix,
  isSupportedNatsVersion,
  minimumNatsVersion,
  type BusUser,
  type ServiceName,
} from '@holdfast/contracts';
import { observeCertificates, type Logger } from '@holdfast/platform';
import { onConnectionStatus } from './connection-status.js';
import { writeOncePerTurn } from './nats-client.js';
import { nkeyAuthenticator } from './nkey-authenticator.js';
import { nextServer, ServerSpread } from './server-spread.js';

const retryMs = 200;
const reconnectJitterMs = 100;
const logIntervalMs = 30_000;
/** From the TCP connection to the response to the login. A dead address drops packets, so nothing else ends it. */
export const connectTimeoutMs = 2000;
/** A server is left when two pings have no response at the time of the next one. */
const maxPingOut = 2;

export interface BusOptions {
  /** One or more servers, comma separated. */
  url: string;
  /** Seed of the NKey by which the server authenticates this user. */
  nkeySeed: string;
  user: BusUser;
  /** Certificates (PEM) that the server must prove itself by; the connection uses TLS then, and never falls back. */
  caFile?: string | undefined;
  /** Ends the wait for a server that is not up. */
  signal?: AbortSignal;
  /** This process as a replica of a service: it connects to another server than the other replicas if it can. */
  replica?: { service: ServiceName; id: string };
}

/**
 * How often the client pings. With several servers it leaves one that has become silent after 2.25 s at most, so that
 * with the first attempt at another one requests fail for less than 3 s (docs/adr/0070-silent-nats-servers.md). With
 * one server there is none to go to, and a busy one gets more time.
 */
function pingIntervalMs(servers: number): number {
  return servers > 1 ? 750 : 3000;
}

/** After which time without any response the client leaves a server, at most. */
export function maxSilenceMs(servers: number): number {
  return (maxPingOut + 1) * pingIntervalMs(servers);
}

/**
 * Connects, waits for a server that is not up yet, and reconnects without end, so that any start order works.
 * @throws Error when the server's version is not supported, or when `signal` aborts
 */
export async function connectBus(options: BusOptions, logger: Logger): Promise<NatsConnection> {
  if (options.caFile !== undefined) observeCertificates('nats_ca', readFileSync(options.caFile, 'utf8'));
  const servers = shuffled(options.url.split(','));
  const spread =
    options.replica && servers.length > 1 ? new ServerSpread(options.replica.service, options.replica.id) : undefined;
  const clientOptions = clientOptionsOf(options, servers.length, spread);
  let connection = await connectWhenUp(servers, clientOptions, logger, options.signal);
  const problem = unsupportedVersion(connection);
  if (problem) {
    await connection.close();
    throw new Error(problem);
  }
  if (spread) {
    const pool = connection.getServers();
    const connectTo = (address: string) =>
      connectToOne(pool.find(({ listen }) => listen === address)!.src, servers, clientOptions);
    connection = await spread.choose(
      connection,
      pool.map(({ listen }) => listen),
      connectTo,
      logger,
    );
  }
  writeOncePerTurn(connection);
  const report = (status: Status): void => {
    if (status.type === 'disconnect') logger.warn(`lost the connection to NATS at ${status.server}; reconnecting`);
    else if (status.type === 'reconnect') reportServer(connection, logger);
    else if (status.type === 'error') reportError(status.error, logger, spread);
  };
  onConnectionStatus(connection, report, (err) =>
    logger.error({ err }, 'Failed to follow the state of the NATS connection'),
  );
  logger.info(`connected to NATS at ${connection.getServer()}`);
  return connection;
}

function clientOptionsOf(
  { nkeySeed, user, caFile }: BusOptions,
  servers: number,
  spread: ServerSpread | undefined,
): ConnectionOptions {
  return {
    name: user,
    authenticator: nkeyAuthenticator(nkeySeed),
    inboxPrefix: inboxPrefix(user),
    // The client reads the file for each connection. With `tls`, it refuses a server without TLS.
    ...(caFile !== undefined && { tls: { caFile } }),
    // Otherwise every request captures a stack trace, which halves the throughput.
    noAsyncTraces: true,
    // A restarted server may not have loaded its users yet.
    ignoreAuthErrorAbort: true,
    maxReconnectAttempts: -1,
    timeout: connectTimeoutMs,
    reconnectTimeWait: retryMs,
    // By default up to a second with TLS, while every request fails.
    reconnectJitterTLS: reconnectJitterMs,
    reconnectToServer: (pool) => nextServer(pool, spread),
    pingInterval: pingIntervalMs(servers),
    maxPingOut,
  };
}

/** Tries the servers in turn until one is up, and logs at first, and then every half minute, why one is not. */
async function connectWhenUp(
  servers: readonly string[],
  options: ConnectionOptions,
  logger: Logger,
  signal?: AbortSignal,
): Promise<NatsConnection> {
  // A dead address says nothing for as long as the attempt takes.
  logger.info(`connecting to NATS at ${servers.join(', ')}, for ${connectTimeoutMs / 1000} s at each in turn`);
  const loggedAtMs = new Map<string, number>();
  for (;;) {
    for (const server of servers) {
      try {
        return await connectToOne(server, servers, options);
      } catch (err) {
        signal?.throwIfAborted();
        if (performance.now() - (loggedAtMs.get(server) ?? -Infinity) < logIntervalMs) continue;
        loggedAtMs.set(server, performance.now());
        logger.warn({ err }, `cannot connect to NATS at ${server}; retrying until it can`);
      }
    }
    await setTimeout(retryMs, undefined, { signal });
  }
}

/** The client would forget the servers that it cannot reach at first, and never reconnect to them. */
async function connectToOne(
  server: string,
  servers: readonly string[],
  options: ConnectionOptions,
): Promise<NatsConnection> {
  const connection = await connect({ ...options, servers: [server] });
  connection.setServers([...servers]);
  return connection;
}

function shuffled(servers: readonly string[]): string[] {
  return servers
    .map((server) => ({ server, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ server }) => server.trim());
}

/**
 * A process that was paused is disconnected by the server and loses the right to reply to earlier requests. That is no
 * error of the configuration, so it is a warning.
 */
function reportError(error: Error, logger: Logger, spread: ServerSpread | undefined): void {
  const refused = error instanceof PermissionViolationError ? error : undefined;
  // Once is enough: it said so for each message until it stopped.
  if (refused && spread?.refused(refused.subject)) return;
  if (refused?.operation === 'publish' && inboxOwner(refused.subject))
    logger.warn('a reply came too late, over another connection than its request; the caller has given up');
  else if (error.message === 'Stale Connection')
    logger.warn(
      'NATS ends the connection: this process did not answer its pings. It was paused, or its network was cut',
    );
  else
    logger.error(
      { err: error },
      `NATS rejected an operation: ${error.message}. Check this service's permissions (docs/reference/bus.md).`,
    );
}

function reportServer(connection: NatsConnection, logger: Logger): void {
  const problem = unsupportedVersion(connection);
  if (problem) logger.error(problem);
  else logger.info(`reconnected to NATS at ${connection.getServer()}`);
}

/**
 * Why this server's version is not supported; undefined when it is. A reconnect may lead to another server, so this is
 * checked again.
 */
export function unsupportedVersion(connection: NatsConnection): string | undefined {
  const version = connection.info?.version ?? 'unknown';
  if (isSupportedNatsVersion(version)) return undefined;
  return (
    `The nats-server at ${connection.getServer()} is version ${version}, and Holdfast needs ${minimumNatsVersion} ` +
    'or newer: older ones block or lose events after a disk error. Upgrade it (docs/runbook.md).'
  );
}
