import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { PublicEvent, WebhookEndpoint } from '@holdfast/contracts';
import { eventually, randomSequence } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { LocalServer } from '../clients/local-server.fixture.ts';

/** One of so many messages is refused, and one is received while its response is lost. */
const messagesPerFailure = 10;
/** An attempt that had begun before its process was paused may end so long after. */
const attemptMs = 16_000;

interface Message {
  id: string;
  type: string;
  subject?: string;
}

const paths = ['/confirms', '/refuses', '/loses'] as const;
type Path = (typeof paths)[number];

/** Three receivers of webhooks: one that confirms everything, one that refuses some, one whose responses are lost. */
export class WebhookReceivers extends LocalServer {
  /** By path and id. */
  readonly #received = new Map(paths.map((path) => [path, new Map<string, Message>()]));
  readonly #secrets = new Map<string, string>();
  readonly #endpoints: string[] = [];
  /** The feed has earlier events, which no endpoint gets. */
  #createdAt = '';
  readonly #erasedAt = new Map<string, number>();
  readonly #errors: string[] = [];
  readonly #random;

  constructor(seed: number) {
    super((request, response) => void this.#take(request, response).catch(() => undefined));
    this.#random = randomSequence(seed);
  }

  /** The Idempotency-Keys let it be repeated while processes are killed. */
  async create(client: Client): Promise<void> {
    for (const path of paths)
      await eventually(async () => {
        const reply = await client
          .call<WebhookEndpoint & { secret: string }>('POST', `${client.api}/admin/webhooks/endpoints`, {
            json: { url: `${this.origin}${path}` },
            headers: { 'idempotency-key': `endpoint-${path}` },
          })
          .catch(() => client.clearToken());
        if (reply?.status !== 201) return false;
        this.#secrets.set(path, reply.body.secret);
        this.#endpoints.push(reply.body.id);
        this.#createdAt = reply.body.createdAt;
        return true;
      }, `the webhook endpoint ${path}`);
  }

  /**
   * Messages that have failed twice wait for minutes, so what is missing is sent again by request.
   * @returns what is missing at a receiver, and what must not be there
   */
  async check(client: Client, feed: readonly PublicEvent[], erased: ReadonlySet<string>): Promise<string[]> {
    const found = this.#compare(feed, erased);
    const json = { since: this.#createdAt };
    if (found.length > 0)
      for (const id of this.#endpoints)
        await client.call('POST', `${client.api}/admin/webhooks/endpoints/${id}/recover`, { json });
    return found;
  }

  #compare(feed: readonly PublicEvent[], erased: ReadonlySet<string>): string[] {
    const ids = new Set(feed.map(({ id }) => id));
    return [
      ...this.#errors,
      ...paths.flatMap((path) => {
        const received = this.#received.get(path)!;
        const missing = feed.filter(({ id, occurredAt }) => occurredAt > this.#createdAt && !received.has(id));
        const unknown = [...received.values()].filter(({ id, subject }) => !ids.has(id) && !erased.has(subject ?? ''));
        return [
          ...(missing.length > 0 ? [`${path} has not received ${missing.length} events of the feed`] : []),
          ...unknown.map(({ id, type }) => `${path} received ${type} ${id}, which is not in the feed`),
        ];
      }),
    ];
  }

  describe(): string {
    return `  webhooks: ${paths.map((path) => `${path} ${this.#received.get(path)!.size}`).join(', ')}`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url as Path;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const fails = path !== '/confirms' && this.#random(messagesPerFailure) === 0;
    if (fails && path === '/refuses') return void response.writeHead(503).end();
    this.#add(path, body, request.headers as Record<string, string>);
    if (fails) return void response.destroy();
    response.writeHead(204).end();
  }

  #add(path: Path, body: string, headers: Record<string, string>): void {
    const message = JSON.parse(body) as Message;
    const { id, type, subject = '' } = message;
    const secret = this.#secrets.get(path);
    try {
      if (secret !== undefined) new Webhook(secret).verify(body, headers);
    } catch (error) {
      this.#errors.push(`${path} received ${type} ${id} with a wrong signature: ${String(error)}`);
    }
    const now = performance.now();
    if (type === 'subject.erased') this.#erasedAt.set(subject, Math.min(now, this.#erasedAt.get(subject) ?? now));
    else if (now - (this.#erasedAt.get(subject) ?? now) > attemptMs)
      this.#errors.push(`${path} received ${type} about ${subject} long after the confirmation of the erasure`);
    this.#received.get(path)!.set(id, message);
  }
}
