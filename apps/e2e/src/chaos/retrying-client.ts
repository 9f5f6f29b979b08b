import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Group, Offer } from '@holdfast/contracts';
import { Client } from '../clients/client.ts';
import { exchange, type Problem, type Reply } from '../clients/http.ts';

/** One request and its result. */
export interface Attempt {
  id: string;
  /** When it was sent, by performance.now(). */
  at: number;
  /** Address of the gateway that it was sent to. */
  gateway: string;
  /** Undefined when the connection broke or no response came in time. */
  status?: number;
  code?: string;
  /** Whether it is still waiting for a response. */
  pending?: boolean;
}

/** Responses after which the request is repeated. Any other response that is no success is an error of the stack. */
const retryable = new Set(['503 unavailable', '409 idempotency_in_progress']);

interface Success {
  status: number;
  /** The response to a repeated request when an earlier attempt succeeded and its response was lost. */
  alreadyDone: string;
}

/**
 * A client as it should be written: it repeats a request until the response is final (an offer with the same
 * Idempotency-Key). It keeps every attempt, since the audit log has a record for each.
 */
export class RetryingClient {
  readonly attempts: Attempt[] = [];
  readonly errors: string[] = [];
  /** Changes whose success was acknowledged. */
  acknowledged = 0;
  readonly #client: Client;
  readonly #run = randomBytes(4).toString('hex');
  #counter = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async offer(idempotencyKey: string, json: object = {}): Promise<Offer> {
    const reply = await this.#repeatUntilDone<Offer & Problem>(
      'POST',
      '/credentials/offers',
      json,
      { status: 201, alreadyDone: '' },
      { 'idempotency-key': idempotencyKey },
    );
    return reply!.body;
  }

  async withdraw(offerId: string): Promise<void> {
    await this.#repeatUntilDone('DELETE', `/credentials/offers/${offerId}`, undefined, {
      status: 204,
      alreadyDone: '409 invalid_state',
    });
  }

  async change(credentialId: string, transition: 'suspend' | 'resume' | 'revoke'): Promise<void> {
    await this.#repeatUntilDone(
      'POST',
      `/credentials/issued/${credentialId}/${transition}`,
      {},
      { status: 200, alreadyDone: '409 invalid_state' },
    );
  }

  async erase(subject: string): Promise<void> {
    await this.#repeatUntilDone('DELETE', `/credentials/subjects/${subject}`, undefined, {
      status: 204,
      alreadyDone: '404 unknown_subject',
    });
  }

  async createGroup(idempotencyKey: string, name: string): Promise<string> {
    const headers = { 'idempotency-key': idempotencyKey };
    const success = { status: 201, alreadyDone: '' };
    return (await this.#repeatUntilDone<Group & Problem>('POST', '/admin/groups', { name }, success, headers))!.body.id;
  }

  async deleteGroup(id: string): Promise<void> {
    await this.#repeatUntilDone('DELETE', `/admin/groups/${id}`, undefined, {
      status: 204,
      alreadyDone: '404 unknown_group',
    });
  }

  /** Reads an acknowledged subject once. 200 and 503 are correct, 404 is not. */
  async read(subject: string): Promise<void> {
    const { attempt, reply } = await this.#attempt<Problem>('GET', `/credentials/subjects/${subject}`);
    if (reply && reply.status !== 200 && !retryable.has(resultOf(attempt)))
      this.errors.push(`GET of an acknowledged subject: ${resultOf(attempt)}`);
  }

  /** Undefined when an earlier attempt succeeded and its response was lost. */
  async #repeatUntilDone<Body>(
    method: string,
    path: string,
    json: object | undefined,
    success: Success,
    headers: Record<string, string> = {},
  ): Promise<Reply<Body> | undefined> {
    for (let tries = 0; ; tries += 1) {
      const { attempt, reply } = await this.#attempt<Body>(method, path, json, headers);
      const alreadyDone = tries > 0 && resultOf(attempt) === success.alreadyDone;
      if (reply?.status === success.status || alreadyDone) {
        this.acknowledged += 1;
        return alreadyDone ? undefined : reply;
      }
      if (reply && !retryable.has(resultOf(attempt)))
        this.errors.push(`${method} ${path}: ${resultOf(attempt)} ${reply.text.slice(0, 300)}`);
      if (tries > 600) throw new Error(`${method} ${path} never succeeded; last: ${resultOf(attempt)}`);
      await sleep(100 + Math.random() * 200);
    }
  }

  async #attempt<Body>(
    method: string,
    path: string,
    json?: object,
    headers: Record<string, string> = {},
  ): Promise<{ attempt: Attempt; reply?: Reply<Body & Partial<Problem>> }> {
    const { stack, api } = this.#client;
    const authorization = `Bearer ${await this.#token()}`;
    const gateways = stack.gateways;
    this.#counter += 1;
    const gateway = gateways[this.#counter % gateways.length]!;
    const attempt: Attempt = { id: `${this.#run}.${this.#counter}`, at: performance.now(), gateway, pending: true };
    this.attempts.push(attempt);
    try {
      const reply = await exchange<Body & Partial<Problem>>({
        origin: gateway,
        method,
        path: api + path,
        headers: {
          ...headers,
          ...(json && { 'content-type': 'application/json' }),
          authorization,
          'x-request-id': attempt.id,
        },
        timeoutMs: 15_000,
        ...(json && { body: JSON.stringify(json) }),
      });
      attempt.status = reply.status;
      if (reply.body?.code !== undefined) attempt.code = reply.body.code;
      return { attempt, reply };
    } catch {
      return { attempt };
    } finally {
      attempt.pending = false;
    }
  }

  async #token(): Promise<string> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#client.token();
      } catch (error) {
        this.#client.clearToken();
        if (tries > 600) throw error;
        await sleep(200);
      }
    }
  }
}

function resultOf({ status, code }: Attempt): string {
  return `${status ?? 'no response'}${code ? ` ${code}` : ''}`;
}
