import { setTimeout } from 'node:timers/promises';
import {
  connect,
  nkeyAuthenticator,
  PermissionViolationError,
  type ConnectionOptions,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';
import { inboxOwner, inboxPrefix, isSupportedNatsVersion, minimumNatsVersion, type BusUser } from '@holdfast/contracts';
import type { Logger } from '@holdfast/platform';
import { onConnectionStatus } from './connection-status.js';
import { writeOncePerTurn } from './nats-client.js';

const retryMs = 200;
const logIntervalMs = 30_000;

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
}

/**
 * Connects, waits for a server that is not up yet, and reconnects without end, so that any start order works.
 * @throws Error when the server's version is not supported, or when `signal` aborts
 */
export async function connectBus(
  { url, nkeySeed, user, caFile, signal }: BusOptions,
  logger: Logger,
): Promise<NatsConnection> {
  const connection = await connectWhenUp(
    {
      servers: url.split(','),
      name: user,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed)),
      inboxPrefix: inboxPrefix(user),
      // The client reads the file for each connection. With `tls`, it refuses a server without TLS.
      ...(caFile !== undefined && { tls: { caFile } }),
      // Otherwise every request captures a stack trace, which halves the throughput.
      noAsyncTraces: true,
      // A restarted server may not have loaded its users yet.
      ignoreAuthErrorAbort: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      pingInterval: 3000,
      maxPingOut: 2,
    },
    logger,
    signal,
  );
  const problem = unsupportedVersion(connection);
  if (problem) {
    await connection.close();
    throw new Error(problem);
  }
  writeOncePerTurn(connection);
  const report = (status: Status): void => {
    if (status.type === 'disconnect') logger.warn('lost the connection to NATS; reconnecting');
    else if (status.type === 'reconnect') reportServer(connection, logger);
    else if (status.type === 'error') reportError(status.error, logger);
  };
  onConnectionStatus(connection, report, (err) =>
    logger.error({ err }, 'Failed to follow the state of the NATS connection'),
  );
  return connection;
}

/** Waits for a server that is not up yet, and logs every half minute why it cannot connect. */
async function connectWhenUp(
  options: ConnectionOptions,
  logger: Logger,
  signal?: AbortSignal,
): Promise<NatsConnection> {
  for (let loggedAtMs = -Infinity; ;) {
    try {
      return await connect(options);
    } catch (err) {
      if (performance.now() - loggedAtMs > logIntervalMs) {
        loggedAtMs = performance.now();
        logger.warn({ err }, `cannot connect to NATS at ${String(options.servers)}; retrying until it can`);
      }
      await setTimeout(retryMs, undefined, { signal });
    }
  }
}

/**
 * A process that was paused is disconnected by the server and loses the right to reply to earlier requests. That is no
 * error of the configuration, so it is a warning.
 */
function reportError(error: Error, logger: Logger): void {
  if (error instanceof PermissionViolationError && error.operation === 'publish' && inboxOwner(error.subject))
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
  else logger.info('reconnected to NATS');
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
