import { randomUUID } from 'node:crypto';
import { connect, nkeyAuthenticator, PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';
import {
  inboxPrefix,
  platformKeys,
  type BusUser,
  type Contract,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import type { Stack } from './stack.ts';

/** Someone who got hold of a service's login to the bus. */
export async function connectAs(
  stack: Stack,
  user: BusUser,
): Promise<{ connection: NatsConnection; refused: PermissionViolationError[] }> {
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(stack.secrets.nkeySeeds[user]));
  const connection = await connect({
    servers: stack.launcher.natsUrl,
    authenticator,
    inboxPrefix: inboxPrefix(user),
    reconnect: false,
  });
  const refused: PermissionViolationError[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError) refused.push(status.error);
    }
  })();
  return { connection, refused };
}

/** Asks contracts as a user of the bus. */
export interface BusClient {
  request: <C extends Contract>(contract: C, input: RequestOf<C>) => Promise<ReplyOf<C>>;
  close: () => Promise<void>;
}

export async function busClient(stack: Stack, user: BusUser, org = ''): Promise<BusClient> {
  const { connection } = await connectAs(stack, user);
  return {
    request: async ({ subject, timeoutMs }, input) => {
      const request = {
        id: randomUUID(),
        traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`,
        method: 'BUS',
        route: 'e2e',
      };
      const context = { org, actor: { type: 'system', id: user }, request, auditId: randomUUID() };
      const answer = await connection.request(
        subject,
        JSON.stringify({ pattern: subject, id: randomUUID(), data: { input, context } }),
        { timeout: 4 * timeoutMs },
      );
      const { response, err } = answer.json<{ response?: unknown; err?: unknown }>();
      if (response === undefined) throw new Error(`${subject} answered ${JSON.stringify(err)}`);
      return response as never;
    },
    close: () => connection.close(),
  };
}

/**
 * The public key of the platform's tokens: it is not published, so an attacker who has it knows more than any caller.
 */
export async function platformPublicKey(stack: Stack): Promise<Record<string, string>> {
  const gateway = await busClient(stack, 'gateway');
  try {
    const { keys } = await gateway.request(platformKeys, {});
    return keys[0] as Record<string, string>;
  } finally {
    await gateway.close();
  }
}
