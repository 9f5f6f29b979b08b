import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Pool } from 'pg';
import type { CustomerEvent, WebhookEndpoint } from '@holdfast/contracts';
import { tokenOf } from './cases.ts';
import { cpuSince } from './growth/lot.ts';
import { connectAs } from './log-load.ts';
import type { App, Stack } from './stack.ts';
import { median } from './statistics.ts';
import { figure, table } from './table.ts';

const org = 'acme';
const rates = [1, 50, 500];
/** Endpoints of the measurement with many of them, and how many of these never answer. */
const manyEndpoints = 50;
const deadEndpoints = 5;

interface Measured {
  name: string;
  /** Events a second. */
  rate: number;
  /** Milliseconds from the event to the receiver, by percentile. */
  p50Ms: number;
  p99Ms: number;
  /** CPU µs of signals for each message. */
  cpuMicros: number;
}
export interface MeasuredWebhooks {
  rounds: Measured[][];
}

/** From an event on the bus to the receiver of a webhook, at growing rates. */
export async function measureWebhooks(
  stack: Stack,
  pool: Pool,
  { rounds, seconds, receiverUrl }: { rounds: number; seconds: number; receiverUrl: string },
  print: (text: string) => void,
): Promise<MeasuredWebhooks> {
  const api = await Api.create(stack);
  const receiver = new LatencyReceiver();
  await receiver.open(new URL(receiverUrl));
  const issuance = await connectAs(stack, 'issuance');
  const measured: Measured[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    print(`Sending events to webhooks, round ${round} of ${rounds} ...`);
    const results: Measured[] = [];
    const one = await api.create(`${receiverUrl}/live`);
    await emit(issuance, 50, 1);
    for (const rate of rates) results.push(await at(rate, '1 endpoint'));
    const dead = await Promise.all(Array.from({ length: deadEndpoints }, () => api.create(`${receiverUrl}/dead`)));
    const others = await Promise.all(
      Array.from({ length: manyEndpoints - deadEndpoints - 1 }, () => api.create(`${receiverUrl}/other`)),
    );
    await emit(issuance, 5, 1);
    results.push(await at(10, `${manyEndpoints} endpoints, ${deadEndpoints} of them hang`));
    for (const { id } of [one, ...dead, ...others]) await api.call('DELETE', `/${id}`);
    measured.push(results);
  }
  await issuance.close();
  receiver.close();
  return { rounds: measured };

  async function at(rate: number, name: string): Promise<Measured> {
    receiver.latenciesMs.length = 0;
    receiver.messages = 0;
    const before = await stack.cpu();
    const count = await emit(issuance, rate, Math.max(seconds, rate === 1 ? 20 : 5));
    for (let i = 0; i < 200 && receiver.latenciesMs.length < count; i += 1) await sleep(50);
    if (receiver.latenciesMs.length < count)
      throw new Error(`Of ${count} events ${receiver.latenciesMs.length} have arrived. ${await stateOf(pool)}`);
    const cpu = cpuSince(before, await stack.cpu(), receiver.messages);
    const cpuMicros = Object.entries(cpu).reduce(
      (sum, [of, micros]) => sum + (of.startsWith('signals') ? micros : 0),
      0,
    );
    const sorted = receiver.latenciesMs.toSorted((a, b) => a - b);
    const percentile = (p: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!;
    return { name, rate, p50Ms: percentile(0.5), p99Ms: percentile(0.99), cpuMicros };
  }
}

export function webhooksTable({ rounds }: MeasuredWebhooks): string {
  const rows = rounds[0]!.map(({ name, rate }, i) => {
    const of = (value: (measured: Measured) => number) => figure(median(rounds.map((round) => value(round[i]!))));
    return [name, String(rate), of((m) => m.p50Ms), of((m) => m.p99Ms), of((m) => m.cpuMicros)];
  });
  return table(['Webhooks', 'Events/s', 'p50 ms', 'p99 ms', 'CPU µs of signals a message'], rows);
}

/** Publishes offers to customers who do not exist, evenly spaced. @returns how many */
async function emit(issuance: NatsConnection, rate: number, seconds: number): Promise<number> {
  const count = rate * seconds;
  const startedAtMs = performance.now();
  const published: Promise<unknown>[] = [];
  for (let i = 0; i < count; i += 1) {
    const waitMs = startedAtMs + (i * 1000) / rate - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    published.push(jetstream(issuance).publish('evt.issuance.offer.created', JSON.stringify(offer())));
  }
  await Promise.all(published);
  return count;
}

function offer(): CustomerEvent {
  const subject = randomUUID();
  const ids = { subject, credentialId: randomUUID(), credentialType: 'customer', offerId: randomUUID() };
  const occurredAt = new Date().toISOString();
  return {
    ...{ id: randomUUID(), occurredAt, org, version: 1, requestId: randomUUID(), traceparent: '', subject },
    type: 'offer.created',
    data: { ...ids, expiresAt: occurredAt },
  };
}

async function stateOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query('SELECT status, count(*) FROM signals.webhook_delivery GROUP BY status');
  return JSON.stringify(rows);
}

class LatencyReceiver {
  /** Of the messages at `/live`. */
  readonly latenciesMs: number[] = [];
  messages = 0;
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.messages += 1;
      if (request.url === '/dead') return;
      const { time } = JSON.parse(Buffer.concat(chunks).toString()) as { time: string };
      if (request.url === '/live') this.latenciesMs.push(Date.now() - Date.parse(time));
      response.writeHead(204).end();
    });
  });

  async open({ hostname, port }: URL): Promise<void> {
    await once(this.#server.listen(Number(port), hostname), 'listening');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

class Api {
  readonly #url: string;
  readonly #token: string;

  static async create(stack: Stack): Promise<Api> {
    const created = (await stack.operator(
      ...['app', 'create', org, '--name', `webhooks ${Date.now()}`, '--kind', 'service', '--grant', 'webhooks:manage'],
    )) as { app: App; clientSecret: string };
    const token = await tokenOf(stack, { ...created.app, clientSecret: created.clientSecret }, 'webhooks:manage');
    return new Api(`${stack.baseUrl}/o/${org}/api/admin/webhooks/endpoints`, token);
  }

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  create(url: string): Promise<WebhookEndpoint> {
    return this.call<WebhookEndpoint>('POST', '', { url });
  }

  async call<Body>(method: string, path: string, json?: unknown): Promise<Body> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw new Error(`${method} ${this.#url}${path}: ${await response.text()}`);
    return (method === 'DELETE' ? undefined : await response.json()) as Body;
  }
}
