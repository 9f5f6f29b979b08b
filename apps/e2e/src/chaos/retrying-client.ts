import { randomBytes } from 'node:crypto';
import type { Offer } from '@holdfast/contracts';
import { Client } from '../client.ts';
import { sleep } from '../parallel.ts';
import { exchange, type Problem, type Reply } from '../http.ts';

/** One request that was sent, and what came of it. */
export interface Attempt {
  id: string;
  /** When it was sent, by performance.now(). */
  at: number;
  /** Address of the gateway that was asked. */
  gateway: string;
  /** Undefined when the connection broke or nobody answered. */
  status?: number;
  code?: string;
  /** Nothing has come of it yet. */
  waiting?: boolean;
}

/** What may be answered while things are killed: try again. Anything else that is no success is a fault. */
const passing = new Set(['503 unavailable', '409 idempotency_in_progress']);

/** How a change is answered: by this status, or on a repeat by a refusal that says that an earlier attempt did it. */
interface Done {
  status: number;
  before: string;
}

/**
 * A client as it should be written: it repeats a request until it is answered (an offer with the same Idempotency-Key),
 * and keeps note of each attempt, since each is a request of its own.
 */
export class RetryingClient {
  readonly attempts: Attempt[] = [];
  readonly errors: string[] = [];
  /** Changes that were answered. */
  acknowledged = 0;
  readonly #client: Client;
  readonly #run = randomBytes(4).toString('hex');
  #counter = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async offer(key: string, json: object = {}): Promise<Offer> {
    const reply = await this.#untilDone<Offer & Problem>(
      'POST',
      '/credentials/offers',
      json,
      { status: 201, before: '' },
      { 'idempotency-key': key },
    );
    return reply!.body;
  }

  async withdraw(offerId: string): Promise<void> {
    await this.#untilDone('DELETE', `/credentials/offers/${offerId}`, undefined, {
      status: 204,
      before: '409 invalid_state',
    });
  }

  async change(credentialId: string, act: 'suspend' | 'resume' | 'revoke'): Promise<void> {
    await this.#untilDone(
      'POST',
      `/credentials/issued/${credentialId}/${act}`,
      {},
      { status: 200, before: '409 invalid_state' },
    );
  }

  async erase(subject: string): Promise<void> {
    await this.#untilDone('DELETE', `/credentials/subjects/${subject}`, undefined, {
      status: 204,
      before: '404 unknown_subject',
    });
  }

  /** Reads a subject once and says what is wrong with the answer, if anything: 200 and 503 are right, a 404 is not. */
  async read(subject: string): Promise<void> {
    const { attempt, reply } = await this.#attempt<Problem>('GET', `/credentials/subjects/${subject}`);
    if (reply && reply.status !== 200 && !passing.has(said(attempt)))
      this.errors.push(`GET of a subject that was acknowledged: ${said(attempt)}`);
  }

  /** Undefined when an earlier attempt did it, whose answer was lost. */
  async #untilDone<Body>(
    method: string,
    path: string,
    json: object | undefined,
    done: Done,
    headers: Record<string, string> = {},
  ): Promise<Reply<Body> | undefined> {
    for (let tries = 0; ; tries += 1) {
      const { attempt, reply } = await this.#attempt<Body>(method, path, json, headers);
      const before = tries > 0 && said(attempt) === done.before;
      if (reply?.status === done.status || before) {
        this.acknowledged += 1;
        return before ? undefined : reply;
      }
      if (reply && !passing.has(said(attempt)))
        this.errors.push(`${method} ${path}: ${said(attempt)} ${reply.text.slice(0, 300)}`);
      if (tries > 600) throw new Error(`${method} ${path} was never answered; last: ${said(attempt)}`);
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
    const attempt: Attempt = { id: `${this.#run}.${this.#counter}`, at: performance.now(), gateway, waiting: true };
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
        timeout: 15_000,
        ...(json && { body: JSON.stringify(json) }),
      });
      attempt.status = reply.status;
      if (reply.body?.code !== undefined) attempt.code = reply.body.code;
      return { attempt, reply };
    } catch {
      return { attempt };
    } finally {
      attempt.waiting = false;
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

function said({ status, code }: Attempt): string {
  return `${status ?? 'no answer'}${code ? ` ${code}` : ''}`;
}
