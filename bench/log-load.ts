import { randomBytes, randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { appendRecords, inboxPrefix, type AuditRecord, type BusUser, type DirectoryEvent } from '@holdfast/contracts';
import type { Stack } from './stack.ts';

/** Records of one message, as many as a gateway under load sends. */
const batchSize = 200;

/** Connects to the bus with the login of a service. */
export function connectAs({ natsUrl, secrets }: Stack, user: BusUser): Promise<NatsConnection> {
  return connect({
    servers: natsUrl,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(secrets[`NATS_NKEY_SEED_${user.toUpperCase()}`])),
    inboxPrefix: inboxPrefix(user),
  });
}

function traceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

/** A read of a customer, as the gateway records it. */
function record(): AuditRecord {
  const subject = randomUUID();
  return {
    id: randomUUID(),
    occurredAt: new Date().toISOString(),
    action: 'subject.read',
    actor: { type: 'app', id: 'app_bench', name: 'bench' },
    targets: [{ type: 'customer', id: subject, dataSubject: subject }],
    outcome: { result: 'success', status: 200 },
    request: {
      id: randomUUID(),
      traceparent: traceparent(),
      method: 'GET',
      route: '/o/{shortId}/api/credentials/subjects/{subject}',
    },
  };
}

/** Appends `count` records with `inFlight` messages at a time. Resolves when all of them are appended. */
export function append(gateway: NatsConnection, org: string, count: number, inFlight: number): Promise<void> {
  const messages = Math.ceil(count / batchSize);
  return appendTo(gateway, Array<string>(messages * batchSize).fill(org), inFlight);
}

/** Appends one record to each of `orgs`, with `inFlight` messages at a time. */
export async function appendTo(gateway: NatsConnection, orgs: readonly string[], inFlight: number): Promise<void> {
  const messages = Array.from({ length: Math.ceil(orgs.length / batchSize) }, (_, n) =>
    messageOf(orgs.slice(n * batchSize, (n + 1) * batchSize).map((org) => ({ org, record: record() }))),
  );
  const worker = async (): Promise<void> => {
    for (let message = messages.pop(); message !== undefined; message = messages.pop()) await send(gateway, message);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Appends one record. Resolves to its id when it is appended. */
export async function appendOne(gateway: NatsConnection, org: string): Promise<string> {
  const one = record();
  await send(gateway, messageOf([{ org, record: one }]));
  return one.id;
}

function messageOf(records: { org: string; record: AuditRecord }[]): string {
  const [first] = records;
  const { actor, request, id: auditId } = first!.record;
  return JSON.stringify({
    pattern: appendRecords.subject,
    id: '0',
    data: { input: { records }, context: { org: first!.org, actor, request, auditId } },
  });
}

async function send(gateway: NatsConnection, message: string): Promise<void> {
  const reply = await gateway.request(appendRecords.subject, message, { timeout: 30_000 });
  const { err } = reply.json<{ err?: unknown }>();
  if (err !== undefined) throw new Error(`audit rejected a record: ${JSON.stringify(err)}`);
}

/** Publishes `count` events with a record each, as directory's relay does: many concurrently, each confirmed. */
export async function publish(directory: NatsConnection, org: string, count: number): Promise<void> {
  const stream = jetstream(directory);
  for (let sent = 0; sent < count; sent += batchSize) {
    const events = Array.from({ length: batchSize }, (_, i): DirectoryEvent => {
      const { action: _action, targets: _targets, ...rest } = record();
      return {
        id: randomUUID(),
        type: 'app.updated',
        occurredAt: rest.occurredAt,
        org,
        app: 'app_bench',
        version: sent + i + 1,
        requestId: rest.request.id,
        traceparent: rest.request.traceparent,
        audit: { ...rest, action: 'app.update', targets: [{ type: 'app', id: 'app_bench' }] },
      };
    });
    await Promise.all(events.map((event) => stream.publish(`evt.directory.${event.type}`, JSON.stringify(event))));
  }
}

/** Acts as audit and acknowledges every append at once, without a log. Ends with the connection. */
export function acknowledgeWithoutLog(audit: NatsConnection): void {
  audit.subscribe(appendRecords.subject, {
    queue: 'audit',
    callback: (error, message) => {
      if (error) throw error;
      message.respond(JSON.stringify({ response: {}, isDisposed: true, id: message.json<{ id: string }>().id }));
    },
  });
}
