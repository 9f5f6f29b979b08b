import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import { headers, PermissionViolationError, RequestError, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { receptionSubject } from '@holdfast/contracts';
import { parseJson } from '../connection/connection-status.js';

const replyTimeoutMs = 2000;
const pauseMs = 250;
/** A stream elects a leader after its replicas have changed. */
const electionMs = 10_000;
const repairedAfterMs = 60_000;
/** JSStreamNotMatchErr of nats-server. */
const wrongStreamCode = 10_060;
const refusal = z.object({ error: z.object({ err_code: z.literal(wrongStreamCode) }) });

/** Whether a stream receives what is published, or why not, and whether no server subscribes to its subjects. */
export type Reception = { receives: true } | { receives: false; reason: string; isUnsubscribed: boolean };

/**
 * Publishes a message for another stream to a subject of this one: its leader refuses it, and stores nothing. A leader
 * that has lost its subscriptions says nothing, although the stream looks healthy in every other way.
 */
export async function receptionOf(connection: NatsConnection, stream: string): Promise<Reception> {
  const header = headers();
  header.set('Nats-Expected-Stream', 'none');
  const subject = receptionSubject(stream);
  try {
    const reply = await connection.request(subject, '', { headers: header, timeout: replyTimeoutMs });
    if (refusal.safeParse(parseJson(reply)).success) return { receives: true };
    return fails(`JetStream responds ${JSON.stringify(parseJson(reply))?.slice(0, 200)}`);
  } catch (error) {
    if (error instanceof PermissionViolationError)
      return fails(`this user may not publish to ${subject}: nats.conf is older than this version`);
    if (error instanceof RequestError && error.isNoResponders())
      return fails('no server takes what is published to its subjects', true);
    return fails(String(error));
  }
}

function fails(reason: string, isUnsubscribed = false): Reception {
  return { receives: false, reason, isUnsubscribed };
}

/**
 * Waits until a stream receives messages, and repairs one that does not: nats-server subscribes its leader when its
 * subjects are changed, to those that are added. Events that are published meanwhile stay in the outbox.
 *
 * @throws Error that names the stream
 */
export async function ensureReception(
  connection: NatsConnection,
  jsm: JetStreamManager,
  name: string,
  subjects: readonly string[],
): Promise<void> {
  const first = await awaitReception(connection, name, electionMs);
  if (first.receives) return;
  // Nothing else is repaired by it, and a stream that receives messages would miss some meanwhile.
  if (first.isUnsubscribed) {
    await jsm.streams.update(name, { subjects: [`declare.${name}`] });
    await jsm.streams.update(name, { subjects: [...subjects] });
  }
  const reception = await awaitReception(connection, name, repairedAfterMs);
  if (!reception.receives)
    throw new Error(
      `the stream ${name} does not receive what is published to it: ${reception.reason}. ` +
        'Restart the NATS servers one after the other; events stay in the outbox meanwhile',
    );
}

async function awaitReception(connection: NatsConnection, name: string, timeoutMs: number): Promise<Reception> {
  for (const deadline = performance.now() + timeoutMs; ;) {
    const reception = await receptionOf(connection, name);
    if (reception.receives || performance.now() > deadline) return reception;
    await sleep(pauseMs);
  }
}
