import {
  connect,
  nkeyAuthenticator,
  PermissionViolationError,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';
import { inboxOwner, inboxPrefix, isSupportedNatsVersion, minimumNatsVersion, type BusUser } from '@holdfast/contracts';
import type { Logger } from '@holdfast/platform';
import { onConnectionStatus } from './connection-status.js';

export interface BusOptions {
  /** One or several servers, comma separated. */
  url: string;
  /** Seed of the NKey by which the server knows this user. */
  nkeySeed: string;
  user: BusUser;
}

/**
 * Connects, waiting for a server that is not there yet, and reconnects for ever: any start order works.
 * @throws Error when the server is too old to be relied upon
 */
export async function connectBus({ url, nkeySeed, user }: BusOptions, logger: Logger): Promise<NatsConnection> {
  const connection = await connect({
    servers: url.split(','),
    name: user,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed)),
    inboxPrefix: inboxPrefix(user),
    // Without this every request captures a stack: half the throughput.
    noAsyncTraces: true,
    waitOnFirstConnect: true,
    // A server that comes back may not know its users yet.
    ignoreAuthErrorAbort: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    pingInterval: 3000,
    maxPingOut: 2,
  });
  const refusal = tooOld(connection);
  if (refusal) {
    await connection.close();
    throw new Error(refusal);
  }
  const report = (status: Status): void => {
    if (status.type === 'disconnect') logger.warn('lost the connection to NATS; reconnecting');
    else if (status.type === 'reconnect') reportServer(connection, logger);
    else if (status.type === 'error') reportError(status.error, logger);
  };
  onConnectionStatus(connection, report, (err) => logger.error({ err }, "lost sight of the connection's state"));
  return connection;
}

/**
 * What follows from having stood still is no fault: the server let go of us, and of the right to reply to what we were
 * asked before.
 */
function reportError(error: Error, logger: Logger): void {
  if (error instanceof PermissionViolationError && error.operation === 'publish' && inboxOwner(error.subject))
    logger.warn('a reply came too late, over another connection than its request; the caller has given up');
  else if (error.message === 'Stale Connection')
    logger.warn(
      'NATS ends the connection: this process did not answer its pings. It stood still, or its network was cut',
    );
  else logger.error({ err: error }, 'NATS rejected an operation');
}

function reportServer(connection: NatsConnection, logger: Logger): void {
  const refusal = tooOld(connection);
  if (refusal) logger.error(refusal);
  else logger.info('reconnected to NATS');
}

/**
 * Why this server is not good enough; undefined when it is. Asked again after a reconnect, which may have led
 * elsewhere.
 */
export function tooOld(connection: NatsConnection): string | undefined {
  const version = connection.info?.version ?? 'unknown';
  if (isSupportedNatsVersion(version)) return undefined;
  return `The nats-server at ${connection.getServer()} is version ${version}, and Holdfast needs ${minimumNatsVersion} or newer: older ones block or lose events after a fault of their disk. Upgrade it (docs/runbook.md).`;
}
