import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { BusUser, Contract, ReplyOf, RequestContext } from '@holdfast/contracts';
import { Bus, connectBus, lookUpShardsOver, OrganizationShards, Replicas, Shards } from '@holdfast/messaging/client';
import { createLogger, newId, within } from '@holdfast/platform';
import { CommandError, startHint } from './command-error.js';
import { busConfig } from './config.js';

const connectTimeoutMs = 5000;
/**
 * Longer than the interval between two announcements of a replica: every live replica has announced itself by then, and
 * a hanging one gets no request.
 */
const discoveryMs = 600;

/** Requests to the services, as the operator. */
export interface OperatorSession {
  /** Sends a request of a contract. `org` is the organization that it is about. */
  request: <C extends Contract>(contract: C, input: z.input<C['request']>, org?: string) => Promise<ReplyOf<C>>;
  /** The same request to each shard: for what no organization owns. The first reply is that of `main`. */
  requestEach: <C extends Contract>(
    contract: C,
    input: z.input<C['request']>,
  ) => Promise<[ReplyOf<C>, ...ReplyOf<C>[]]>;
  /** For an operation of several requests: the organization's audit log records it once. */
  requestsFor: (org: string) => <C extends Contract>(contract: C, input: z.input<C['request']>) => Promise<ReplyOf<C>>;
}

export interface BusAccess {
  /** How long to wait for NATS. */
  timeoutMs?: number;
  /** Of the user; by default NATS_NKEY_SEED. */
  nkeySeed?: string;
}

/**
 * Connects as a NATS user for the time of `work`.
 *
 * @throws CommandError when NATS is unavailable
 */
export async function withBus<T>(
  user: BusUser,
  work: (bus: Bus, replicas: Replicas, shards: Shards) => Promise<T>,
  { timeoutMs = connectTimeoutMs, nkeySeed = busConfig().NATS_NKEY_SEED }: BusAccess = {},
): Promise<T> {
  const { NATS_URL: url, NATS_CA_FILE: caFile, SHARDS: urls = {} } = busConfig();
  const abort = new AbortController();
  const logger = createLogger('cli', 'fatal');
  const connecting = connectBus({ url, nkeySeed, user, caFile, signal: abort.signal }, logger);
  const late = () => new CommandError(`Holdfast does not answer at ${url}. ${startHint}`);
  try {
    const connection = await within(timeoutMs, connecting, late);
    try {
      const replicas = new Replicas(connection);
      const bus = new Bus(connection, undefined, replicas);
      const shards = new Shards({
        urls,
        connect: (shardUrl, signal) => connectBus({ url: shardUrl, nkeySeed, user, caFile, signal }, logger),
        busOf: (ofShard) => new Bus(ofShard, undefined, new Replicas(ofShard)),
        organizations: new OrganizationShards(lookUpShardsOver(bus, () => operatorContext('org shards', ''))),
        waitMs: timeoutMs,
      });
      if (shards.several) bus.shards = shards;
      try {
        return await work(bus, replicas, shards);
      } finally {
        await shards.stop();
      }
    } finally {
      await connection.close();
    }
  } finally {
    abort.abort();
  }
}

/** Runs a command as the operator. The audit log records `command` as the route. */
export function asOperator<T>(command: string, work: (session: OperatorSession) => Promise<T>): Promise<T> {
  return withBus('operator', (bus, replicas, shards) => {
    const requestsFor: OperatorSession['requestsFor'] = (org) => {
      const context = operatorContext(command, org);
      return async (contract, input) => {
        // A query without a response is sent to another replica anyway.
        if (contract.kind === 'command') await replicas.waitForReplica(contract.service, discoveryMs);
        return bus.request(contract, input, context);
      };
    };
    const requestEach: OperatorSession['requestEach'] = async (contract, input) => {
      const others = await shards.others();
      const first = await requestsFor('')(contract, input);
      const context = operatorContext(command, '');
      return [first, ...(await Promise.all(others.map((shard) => shard.bus.request(contract, input, context))))];
    };
    return work({
      request: (contract, input, org = '') => requestsFor(org)(contract, input),
      requestEach,
      requestsFor,
    });
  });
}

export function operatorContext(command: string, org: string): RequestContext {
  const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
  return {
    org,
    actor: { type: 'operator', id: 'operator' },
    request: { id: newId(), traceparent, method: 'CLI', route: `holdfast ${command}` },
    auditId: newId(),
  };
}
