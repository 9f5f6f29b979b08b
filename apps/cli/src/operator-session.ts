import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { BusUser, Contract, ReplyOf, RequestContext } from '@holdfast/contracts';
import { Bus, connectBus, Replicas } from '@holdfast/messaging/client';
import { createLogger, newId } from '@holdfast/platform';
import { CommandError, startHint } from './command-error.js';
import { busConfig } from './config.js';

/** How long a session may take to let us in, in ms. */
const patience = 5000;
/**
 * Longer than two announcements of a replica are apart: whoever lives is heard in that time, and a replica that hangs
 * is not asked.
 */
const untilHeardMs = 600;

/** The running session, as the operator sees it. */
export interface OperatorSession {
  /** Asks a contract; `org` is the organization that it is about. */
  request: <C extends Contract>(contract: C, input: z.input<C['request']>, org?: string) => Promise<ReplyOf<C>>;
  /** Asks as often as it takes for one act, which stands in the organization's log once. */
  requestsFor: (org: string) => <C extends Contract>(contract: C, input: z.input<C['request']>) => Promise<ReplyOf<C>>;
}

/** Connects as a user of the bus, works, and leaves. @throws CommandError when nobody is there */
export async function withBus<T>(
  user: BusUser,
  work: (bus: Bus, replicas: Replicas) => Promise<T>,
  ms = patience,
): Promise<T> {
  const { NATS_URL: url, NATS_NKEY_SEED: nkeySeed } = busConfig();
  const connecting = connectBus({ url, nkeySeed, user }, createLogger('cli', 'fatal'));
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CommandError(`Holdfast does not answer at ${url}. ${startHint}`)), ms);
  });
  try {
    const connection = await Promise.race([connecting, tooLong]);
    try {
      const replicas = new Replicas(connection);
      return await work(new Bus(connection, undefined, replicas), replicas);
    } finally {
      await connection.close();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a command of the operator. `command` stands in the audit log as the route. */
export function asOperator<T>(command: string, work: (session: OperatorSession) => Promise<T>): Promise<T> {
  return withBus('operator', (bus, replicas) => {
    const requestsFor: OperatorSession['requestsFor'] = (org) => {
      const context = operatorContext(command, org);
      return async (contract, input) => {
        await replicas.untilHeard(contract.service, untilHeardMs);
        return bus.request(contract, input, context);
      };
    };
    return work({ request: (contract, input, org = '') => requestsFor(org)(contract, input), requestsFor });
  });
}

export function operatorContext(command: string, org: string): RequestContext {
  const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
  return {
    org,
    actor: { type: 'operator', id: 'operator' },
    request: { id: newId(), traceparent, method: 'CLI', route: `holdfast ${command}` },
    auditId: newId(),
  };
}
