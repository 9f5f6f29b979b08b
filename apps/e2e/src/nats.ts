import { platformKeys, inboxPrefix, type BusUser } from '@holdfast/contracts';
import { connect, nkeyAuthenticator, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import type { House } from './house.ts';

/** Someone who got hold of a service's login to the bus. */
export async function connectAs(house: House, user: BusUser): Promise<{ connection: NatsConnection; refused: PermissionViolationError[] }> {
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(house.secrets.nkeySeeds[user]));
  const connection = await connect({ servers: house.launcher.natsUrl, authenticator, inboxPrefix: inboxPrefix(user), reconnect: false });
  const refused: PermissionViolationError[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError) refused.push(status.error);
    }
  })();
  return { connection, refused };
}

/** The public key of the platform's tokens: it is not published, so an attacker who has it knows more than any caller. */
export async function platformPublicKey(house: House): Promise<Record<string, string>> {
  const { connection } = await connectAs(house, 'gateway');
  try {
    const context = { org: '', actor: { type: 'system', id: 'gateway' }, request: { id: randomUUID(), traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`, method: 'BUS', route: 'e2e' }, auditId: randomUUID() };
    const answer = await connection.request(platformKeys.subject, JSON.stringify({ pattern: platformKeys.subject, id: randomUUID(), data: { input: {}, context } }), { timeout: 5000 });
    const { response } = answer.json<{ response: { keys: Record<string, string>[] } }>();
    return response.keys[0]!;
  } finally {
    await connection.close();
  }
}
