import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt, type JWTPayload } from 'jose';
import type { AuditEvent, PublicEvent, SsfStream } from '@holdfast/contracts';
import { eventually, randomSequence } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import type { PrivateStack } from './private-stack.ts';

interface Token extends JWTPayload {
  jti: string;
  txn: string;
  sub_id: { sub?: string };
}

/** One response in so many is treated as if it had been lost. */
const pollsPerLoss = 5;

/** A receiver of Shared Signals that polls during the whole load, and loses some responses. */
export class SecurityEvents {
  /** By `jti`, in the order in which they came first. */
  readonly #received = new Map<string, Token>();
  readonly #client: Client;
  readonly #stream: SsfStream & { createdAt: string };
  readonly #random;

  static async create(stack: PrivateStack, org: string, seed: number): Promise<SecurityEvents> {
    const client = new Client(stack, await stack.newApp(org, 'SIEM', [], 'receiver'), ['ssf.manage']);
    const createdAt = new Date().toISOString();
    const stream = await eventually(async () => {
      const options = { json: {}, headers: { 'idempotency-key': 'stream' } };
      const reply = await client
        .call<SsfStream>('POST', `/o/${org}/ssf/streams`, options)
        .catch(() => client.clearToken());
      return reply?.status === 201 && reply.body;
    }, 'the stream of security events');
    return new SecurityEvents(client, { ...stream, createdAt }, seed);
  }

  private constructor(client: Client, stream: SsfStream & { createdAt: string }, seed: number) {
    this.#client = client;
    this.#stream = stream;
    this.#random = randomSequence(seed);
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#poll().catch(() => this.#client.clearToken());
      await sleep(200);
    }
  }

  describe(): string {
    return `  security events: ${this.#received.size}`;
  }

  /** @returns in what the tokens differ from the feed and the log */
  async check(
    feed: readonly PublicEvent[],
    log: readonly AuditEvent[],
    erased: ReadonlySet<string>,
  ): Promise<string[]> {
    while ((await this.#poll()) > 0);
    const places = new Map(feed.map(({ id }, i) => [id, i]));
    const records = new Set(log.map(({ id }) => id));
    const tokens = [...this.#received.values()].map((token) => {
      const [event, part] = token.jti.split('.');
      return { ...token, event: event!, part: Number(part), isErased: erased.has(token.sub_id.sub ?? '') };
    });
    const missing = feed.filter(
      ({ id, type, occurredAt }) =>
        occurredAt > this.#stream.createdAt && type.startsWith('credential.') && !this.#received.has(`${id}.0`),
    );
    const unknown = tokens.filter(({ event, isErased }) => !isErased && !places.has(event));
    const unrecorded = tokens.filter(({ txn, isErased }) => !isErased && !records.has(txn));
    const placeOf = ({ event, part }: (typeof tokens)[number]) => (places.get(event) ?? 0) * 10 + part;
    const disordered = [...Map.groupBy(tokens, ({ sub_id: { sub } }) => sub)].filter(
      ([subject, all]) =>
        !erased.has(subject ?? '') && all.some((token, i) => i > 0 && placeOf(token) <= placeOf(all[i - 1]!)),
    );
    return [
      ...(missing.length > 0 ? [`the receiver of security events has nothing of ${missing.length} events`] : []),
      ...unknown.map(({ jti }) => `the token ${jti} follows from no event of the feed`),
      ...unrecorded.map(({ jti, txn }) => `the token ${jti} has the txn ${txn}, which is no record of the log`),
      ...disordered.map(([subject]) => `the tokens about ${subject} came in another order than their events`),
    ];
  }

  /** @returns how many tokens came */
  async #poll(): Promise<number> {
    const { endpoint_url: url } = this.#stream.delivery;
    const poll = async (json: object) => {
      const { pathname } = new URL(url);
      const reply = await this.#client.call<{ sets: Record<string, string> }>('POST', pathname, { json });
      if (reply.status !== 200) throw new Error(`a poll returned ${reply.status}: ${reply.text}`);
      return Object.entries(reply.body.sets);
    };
    const sets = await poll({ returnImmediately: true });
    if (this.#random(pollsPerLoss) === 0) return sets.length;
    for (const [jti, token] of sets) if (!this.#received.has(jti)) this.#received.set(jti, decodeJwt<Token>(token));
    if (sets.length > 0) await poll({ maxEvents: 0, ack: sets.map(([jti]) => jti) });
    return sets.length;
  }
}
