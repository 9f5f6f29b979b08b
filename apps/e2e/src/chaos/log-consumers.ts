import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@holdfast/testing';
import { LogFollower } from '../audit/log-follower.fixture.ts';
import type { Client } from '../clients/client.ts';
import { LogExports } from './log-exports.ts';
import { LogPoller } from './log-poller.ts';
import type { LogReceiver } from './log-receiver.fixture.ts';
import type { PrivateStack } from './private-stack.ts';
import { PythonReader } from './python-reader.ts';

export interface LogConsumerOptions {
  receiver: LogReceiver;
  /** Also the reader in Python of docs/audit-stream.md. */
  hasPython?: boolean;
}

/** Everything that takes the audit log out of a stack: a stream, polls, destinations of two kinds, and exports. */
export class LogConsumers {
  readonly #client: Client;
  readonly #stack: PrivateStack;
  readonly #options: LogConsumerOptions;
  readonly #exports: LogExports;
  /** Every reader that must have each entry once and in order. */
  readonly #readers = new Map<string, { readonly seqs: number[] }>();
  readonly #errors: string[] = [];

  constructor(stack: PrivateStack, client: Client, options: LogConsumerOptions) {
    this.#stack = stack;
    this.#client = client;
    this.#options = options;
    this.#exports = new LogExports(client);
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    const { receiver, hasPython = false } = this.#options;
    for (const json of [
      { kind: 'https', settings: { url: `${receiver.origin}/https`, encoding: 'ndjson' }, after: 0 },
      {
        kind: 'elasticsearch',
        settings: { url: receiver.origin, index: 'audit' },
        credentials: { apiKey: 'k' },
        after: 0,
      },
    ])
      await this.#createDestination(json);
    const stream = new LogFollower(this.#client, 'after=0');
    const poller = new LogPoller(this.#client);
    const python = hasPython ? new PythonReader(this.#client) : undefined;
    this.#readers.set('the stream', stream).set('the polls', poller);
    if (python) this.#readers.set('the reader in Python', python);
    for (const path of ['/https', '/_bulk'] as const)
      this.#readers.set(`the destination ${path}`, { seqs: receiver.seqs[path] });
    await this.#exports.runUntil(isOver);
    await this.#exports.end();
    await this.#untilAllHave(await this.#endOfLog()).catch((error: Error) => this.#errors.push(error.message));
    await Promise.all([stream.stop(), poller.stop(), python?.stop()]);
    if (python && python.errors) this.#errors.push(`the reader in Python failed: ${python.errors.slice(-500)}`);
  }

  /** @returns all errors */
  async check(): Promise<string[]> {
    const { receiver } = this.#options;
    const wrong = [...this.#readers].flatMap(([name, { seqs }]) => {
      const at = seqs.findIndex((seq, i) => seq !== i + 1);
      return at < 0 ? [] : [`${name} has ${seqs[at]} in place of ${at + 1}`];
    });
    return [
      ...this.#errors,
      ...wrong,
      ...receiver.errors,
      ...receiver.needlessRepeats(this.#stack.disturbances),
      ...(await this.#exports.check()),
    ];
  }

  describe(): string {
    const { receiver } = this.#options;
    const readers = [...this.#readers].map(([name, { seqs }]) => `${name} ${seqs.length}`).join(', ');
    const others = this.#exports.others.length;
    return (
      `  entries: ${readers}; ${receiver.repeats} of them again; ` +
      `${this.#exports.downloaded} exports were downloaded, ${others} ended before`
    );
  }

  remove(): void {
    this.#exports.remove();
  }

  /** The Idempotency-Key lets it be repeated while processes are killed. */
  async #createDestination(json: { kind: string }): Promise<void> {
    const headers = { 'idempotency-key': `destination-${json.kind}` };
    const path = `${this.#client.api}/admin/audit/destinations`;
    await eventually(async () => {
      const reply = await this.#client.call('POST', path, { json, headers }).catch(() => this.#client.clearToken());
      return reply?.status === 201;
    }, `a destination of the kind ${json.kind}`);
  }

  async #endOfLog(): Promise<number> {
    for (;;) {
      const reply = await this.#client.audit({ limit: '1' }).catch(() => this.#client.clearToken());
      const [newest] = reply?.status === 200 ? reply.body.items : [];
      if (newest) return newest.seq;
      await sleep(200);
    }
  }

  #untilAllHave(seq: number): Promise<unknown> {
    const late = () => [...this.#readers].filter(([, { seqs }]) => (seqs.at(-1) ?? 0) < seq).map(([name]) => name);
    return eventually(() => late().length === 0, 'all readers of the log to have its end', 90_000).catch(() => {
      throw new Error(`90 s after the load, entry ${seq} of the log has not reached ${late().join(', ')}`);
    });
  }
}
