import type { AuditEvent } from '@holdfast/contracts';
import type { Client } from '../clients/client.ts';

export interface StreamEnd {
  code: string;
  detail?: string;
  after?: number;
}

/** A reader of the audit stream as docs/audit-stream.md describes it, with fetch and nothing else. */
export class LogFollower {
  readonly events: AuditEvent[] = [];
  readonly ends: StreamEnd[] = [];
  /** Statuses of responses that were no stream. */
  readonly rejections: number[] = [];
  lastEventId: string | undefined;
  connections = 0;
  readonly #client: Client;
  readonly #query: string;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  /** `query`: such as `after=0`. It connects again when a stream ends, unless `once`. */
  constructor(client: Client, query = '', { once = false, gateway = 0 } = {}) {
    this.#client = client;
    this.#query = query;
    this.#running = this.#run(once, gateway);
  }

  get seqs(): number[] {
    return this.events.map(({ seq }) => seq);
  }

  /** Resolves when a reader that connects once has read its stream to the end. */
  ended(): Promise<void> {
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(once: boolean, gateway: number): Promise<void> {
    for (let turn = gateway; !this.#stopping.signal.aborted; turn += 1) {
      // A broken connection: the reader continues after the last event that it has.
      await this.#connect(turn).catch(() => this.#client.clearToken());
      if (once) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #connect(turn: number): Promise<void> {
    const { stack, api } = this.#client;
    const gateway = stack.gateways[turn % stack.gateways.length]!;
    const response = await fetch(`${gateway}${api}/admin/audit/stream?${this.#query}`, {
      headers: {
        authorization: `Bearer ${await this.#client.token()}`,
        ...(this.lastEventId !== undefined && { 'last-event-id': this.lastEventId }),
      },
      signal: this.#stopping.signal,
    });
    if (response.headers.get('content-type') !== 'text/event-stream; charset=utf-8') {
      this.rejections.push(response.status);
      await response.body?.cancel();
      return;
    }
    this.connections += 1;
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) this.#take(frame);
    }
  }

  #take(frame: string): void {
    const fields = new Map(
      frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    if (fields.has('id')) this.lastEventId = fields.get('id')!;
    const data = fields.get('data');
    if (fields.get('event') === 'audit') this.events.push(JSON.parse(data!) as AuditEvent);
    if (fields.get('event') === 'end') this.ends.push(JSON.parse(data!) as StreamEnd);
  }
}
