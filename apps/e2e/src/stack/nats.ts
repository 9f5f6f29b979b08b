import { randomUUID } from 'node:crypto';
import { connect, nkeyAuthenticator, PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import {
  inboxPrefix,
  platformKeys,
  type AuditRecord,
  type BusUser,
  type Contract,
  type ReplyOf,
} from '@holdfast/contracts';

/** Where the bus of a stack is, and the logins of its users. */
interface BusAddress {
  launcher: { natsUrl: string };
  secrets: { [name: string]: string };
}

/**
 * Connects with the login of a service, as an attacker who has stolen it.
 * @param reconnect whether it connects again when the server was restarted, as the launcher does on a busy machine
 */
export async function connectAs(
  stack: BusAddress,
  user: BusUser,
  reconnect = false,
): Promise<{ connection: NatsConnection; violations: PermissionViolationError[] }> {
  const authenticator = nkeyAuthenticator(
    new TextEncoder().encode(stack.secrets[`NATS_NKEY_SEED_${user.toUpperCase()}`]),
  );
  const connection = await connect({
    servers: stack.launcher.natsUrl,
    authenticator,
    inboxPrefix: inboxPrefix(user),
    reconnect,
  });
  const violations: PermissionViolationError[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError) violations.push(status.error);
    }
  })();
  return { connection, violations };
}

/** Sends requests of contracts as a user of the bus. */
export interface BusClient {
  request: <C extends Contract>(contract: C, input: z.input<C['request']>) => Promise<ReplyOf<C>>;
  close: () => Promise<void>;
}

/** The request that a record of these tests names. */
export function requestInfo(): AuditRecord['request'] {
  return {
    id: randomUUID(),
    traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`,
    method: 'BUS',
    route: 'e2e',
  };
}

/** The operator as an actor: directory lets it change people, and audit records its reads. */
export const operatorActor = { type: 'operator', id: 'operator' };

/** By default the actor is the system, whose reads are in no record. */
export async function busClient(
  stack: BusAddress,
  user: BusUser,
  org = '',
  actor = { type: 'system', id: user as string },
): Promise<BusClient> {
  const { connection } = await connectAs(stack, user, true);
  return {
    request: async ({ subject, timeoutMs }, input) => {
      const context = { org, actor, request: requestInfo(), auditId: randomUUID() };
      const message = await connection.request(
        subject,
        JSON.stringify({ pattern: subject, id: randomUUID(), data: { input, context } }),
        { timeout: 4 * timeoutMs },
      );
      const { response, err } = message.json<{ response?: unknown; err?: unknown }>();
      if (response === undefined) throw new Error(`${subject} failed: ${JSON.stringify(err)}`);
      return response as never;
    },
    close: () => connection.close(),
  };
}

/** The public key of the platform's tokens. It is not published, so an attacker who has it knows more than callers. */
export async function platformPublicKey(stack: BusAddress): Promise<Record<string, string>> {
  const gateway = await busClient(stack, 'gateway');
  try {
    const { keys } = await gateway.request(platformKeys, {});
    return keys[0] as Record<string, string>;
  } finally {
    await gateway.close();
  }
}
